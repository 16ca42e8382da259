// How the page is built: into the Python package, with nothing inlined, so that a strict
// content-security policy holds (no data: fonts, no inline scripts), and with the licences of all
// that is in it.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { defineConfig } from 'vite';

/** Packages that are in the page without being modules of it. */
const FONTS = ['@fontsource-variable/source-serif-4', '@fontsource-variable/source-sans-3'];

/** KaTeX names three formats of each font; every browser that runs the page reads woff2. */
function woff2Only() {
  return {
    name: 'woff2-only',
    enforce: 'pre',
    transform(code, id) {
      if (!id.includes('katex') || !id.endsWith('.css')) return null;
      return code.replace(/,\s*url\([^)]*\.(?:woff|ttf)\)\s*format\("(?:woff|truetype)"\)/g, '');
    },
  };
}

/** One text with the licence of each package whose code or fonts are in the page. */
function licences() {
  return {
    name: 'licences',
    generateBundle() {
      const names = new Set(FONTS);
      for (const id of this.getModuleIds()) {
        const found = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id);
        if (found) names.add(found[1]);
      }
      const source = [...names].sort().map(licenceOf).join('\n\n');
      this.emitFile({ type: 'asset', fileName: 'assets/licences.txt', source: `${source}\n` });
    },
  };
}

function licenceOf(name) {
  const folder = join('node_modules', name);
  const about = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((one) => /^(licen[cs]e|copying)/i.test(one));
  const text = file ? readFileSync(join(folder, file), 'utf8') : mit(about);
  return `== ${name} ${about.version} (${about.license})\n\n${text.trim()}`;
}

/** The licence of a package that names it and leaves its text out. */
function mit({ name, license, author }) {
  if (license !== 'MIT') throw new Error(`${name} is under ${license} and comes without its text`);
  const owner = String(author?.name ?? author).replace(/\s*[<(].*/, '');
  return `Copyright (c) ${owner}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute,
sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial
portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES
OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
}

export default defineConfig({
  plugins: [woff2Only(), licences()],
  build: {
    outDir: '../src/partbook/page/static',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    sourcemap: false,
    target: 'es2022',
    modulePreload: { polyfill: false },
    rollupOptions: {
      // React Flow marks itself for servers that render; this page has none.
      onwarn: (warning, warn) => warning.code === 'MODULE_LEVEL_DIRECTIVE' || warn(warning),
    },
  },
  test: { include: ['src/**/*.test.ts'] },
  server: { proxy: { '/page': process.env.PARTBOOK ?? 'http://127.0.0.1:8000' } },
});
