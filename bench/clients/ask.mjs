// Ask a server through one client, plain and streamed; prints both answers.
// node ask.mjs CLIENT URL QUESTION
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, streamText } from 'ai';
import OpenAI from 'openai';

const [client, url, question] = process.argv.slice(2);
let streamed = '';
if (client === 'ai sdk') {
  const partbook = createOpenAICompatible({
    name: 'partbook', baseURL: url, apiKey: 'none', includeUsage: true,
  });
  const asked = { model: partbook('partbook'), prompt: question };
  console.log((await generateText(asked)).text);
  for await (const text of streamText(asked).textStream) streamed += text;
} else {
  const openai = new OpenAI({ baseURL: url, apiKey: 'none' });
  const asked = { model: 'partbook', messages: [{ role: 'user', content: question }] };
  console.log((await openai.chat.completions.create(asked)).choices[0].message.content);
  for await (const chunk of await openai.chat.completions.create({ ...asked, stream: true })) {
    streamed += chunk.choices[0]?.delta?.content ?? '';
  }
}
console.log(streamed);
