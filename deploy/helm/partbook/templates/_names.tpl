{{- define "partbook.name" -}}
{{- printf "%s-partbook" .Release.Name | replace "partbook-partbook" "partbook" | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "partbook.selector" -}}
app.kubernetes.io/name: partbook
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "partbook.labels" -}}
{{ include "partbook.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "partbook.conductor" -}}
{{- if .Values.conductor.url -}}
{{ .Values.conductor.url }}
{{- else if .Values.conductor.enabled -}}
http://{{ include "partbook.name" . }}-conductor:8000/v1#conductor
{{- end -}}
{{- end -}}
