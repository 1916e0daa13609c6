import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/**
 * Texts are compressed once, when they are built: the API hands out `X.br` and `X.gz` as they lie beside `X`.
 * What was written is read again, because Vite still fills in the names of loaded files after other plugins.
 */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    async writeBundle({ dir = '' }, bundle) {
      for (const name of Object.keys(bundle)) {
        if (!/\.(js|css|html|svg|json|webmanifest)$/.test(name)) continue
        const file = join(dir, name)
        const text = await readFile(file)
        await writeFile(`${file}.br`, brotliCompressSync(text))
        await writeFile(`${file}.gz`, gzipSync(text, { level: 9 }))
      }
    },
  }
}

const TARGET = ['chrome123', 'edge123', 'firefox121', 'safari17.5']

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwind(), compressed()],
  build: {
    target: TARGET,
    cssTarget: TARGET,
    // A font or picture inside a script or style would be refused by the Content-Security-Policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    // With another Host the refresh cookie is refused, as one that a foreign page sends.
    proxy: {
      '/api': { target: 'http://127.0.0.1:3000', changeOrigin: false },
      '/readyz': { target: 'http://127.0.0.1:3000', changeOrigin: false },
    },
  },
})
