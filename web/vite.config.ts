import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { build, defineConfig, type Plugin } from 'vite'

const TARGET = ['chrome123', 'edge123', 'firefox121', 'safari17.5']

/** Compresses a text once at the build: the API serves `X.br` and `X.gz` beside `X`. */
async function compress(file: string): Promise<void> {
  const text = await readFile(file)
  await writeFile(`${file}.br`, brotliCompressSync(text))
  await writeFile(`${file}.gz`, gzipSync(text, { level: 9 }))
}

/** Compresses written files, because Vite fills in names of loaded files after other plugins. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    async writeBundle({ dir = '' }, bundle) {
      for (const name of Object.keys(bundle))
        if (/\.(js|css|html|svg|json)$/.test(name)) await compress(join(dir, name))
    },
  }
}

/**
 * Builds the service worker, which caches every file. Its script has a constant address and changes with every changed
 * file: so browsers detect a new version.
 */
function serviceWorker(): Plugin {
  return {
    name: 'service-worker',
    apply: 'build',
    writeBundle: {
      order: 'post',
      sequential: true,
      async handler({ dir = '' }) {
        const files = await builtFiles(dir)
        const digest = createHash('sha256')
        for (const file of files) digest.update(file).update(await readFile(join(dir, file)))
        await build({
          root: import.meta.dirname,
          configFile: false,
          publicDir: false,
          logLevel: 'warn',
          define: { __BUILD__: JSON.stringify({ name: digest.digest('hex').slice(0, 12), files }) },
          build: {
            target: TARGET,
            outDir: dir,
            emptyOutDir: false,
            rolldownOptions: {
              input: join(import.meta.dirname, 'service-worker', 'main.ts'),
              output: { format: 'iife', entryFileNames: 'service-worker.js' },
            },
          },
        })
        await compress(join(dir, 'service-worker.js'))
      },
    },
  }
}

/** Addresses of the files of the app, sorted. */
async function builtFiles(dir: string): Promise<string[]> {
  const found = await readdir(dir, { recursive: true, withFileTypes: true })
  return found
    .filter((entry) => entry.isFile() && !/\.(br|gz|map)$|^\./.test(entry.name))
    .map((entry) => `/${relative(dir, join(entry.parentPath, entry.name)).split(sep).join('/')}`)
    .toSorted()
}

/**
 * Gives the form's rules their own copies of domain/, because shared ones would load for every page, and uses the
 * browser's Temporal.
 */
function rulesOfTheForm(): Plugin {
  return {
    name: 'rules-of-the-form',
    enforce: 'pre',
    async resolveId(source, importer = '') {
      if (source === 'temporal-polyfill') return '\0temporal'
      if (!/[\\/]contract[\\/]|\?own$/.test(importer)) return null
      const found = await this.resolve(source, importer.replace('?own', ''), { skipSelf: true })
      return found && /[\\/]domain[\\/]/.test(found.id) ? `${found.id}?own` : found
    },
    load: (id) => (id === '\0temporal' ? 'export const Temporal = globalThis.Temporal' : null),
  }
}

interface Modules {
  getModuleInfo(id: string): { importedIds: string[] } | null
}

/** Charts are the largest part of the app, and stay out of the file that every page loads. */
const drawsCharts = (id: string, modules: Modules): boolean =>
  id.includes('node_modules')
    ? /lightweight-charts|fancy-canvas/.test(id)
    : (modules.getModuleInfo(id)?.importedIds.some((each) => drawsCharts(each, modules)) ?? false)

export default defineConfig({
  root: import.meta.dirname,
  plugins: [rulesOfTheForm(), react(), tailwind(), compressed(), serviceWorker()],
  build: {
    target: TARGET,
    cssTarget: TARGET,
    // The Content-Security-Policy would refuse a font or picture inside a script or style.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // A first visit loads only the sign-in; few files, because each costs a round trip.
            { name: 'first', tags: ['$initial'], priority: 1 },
            {
              name: (id, modules) => (drawsCharts(id, modules) ? null : 'shared'),
              minShareCount: 2,
            },
          ],
        },
      },
    },
  },
  server: {
    // With another Host the service refuses the refresh cookie as a foreign page's.
    proxy: {
      '/api': { target: 'http://127.0.0.1:3000', changeOrigin: false },
      '/readyz': { target: 'http://127.0.0.1:3000', changeOrigin: false },
    },
  },
})
