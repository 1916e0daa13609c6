import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { cacheFolder, putInPlace } from '#local/servers/program-source.ts'
import { tool } from '#test/support/tools.ts'

const run = promisify(execFile)
const REQUIREMENTS = join(import.meta.dirname, 'kubernetes-schemas.txt')
/** The oldest Kubernetes that the chart is for, and the newest that the schemas know. */
export const KUBERNETES_VERSIONS = ['1.30.0', '1.36.0'] as const

/**
 * A folder of JSON schemas of Kubernetes' objects, one for each version, as kubeconform takes them. They come from a
 * package of Python's index, which names its schemas by addresses on a site; here they are files beside each other.
 */
export async function kubernetesSchemas(): Promise<string> {
  const version = /==(\S+)/.exec(readFileSync(REQUIREMENTS, 'utf8'))![1]!
  const place = join(cacheFolder(), `kubernetes-schemas-${version}`, 'schemas')
  if (!existsSync(place)) await putInPlace(place, (draft) => fetchInto(join(draft, basename(place))))
  return place
}

async function fetchInto(folder: string): Promise<void> {
  const python = join(dirname(folder), 'python')
  await run(await tool('python'), ['-m', 'venv', python])
  const install = ['install', '--quiet', '--no-deps', '--require-hashes', '-r', REQUIREMENTS]
  await run(join(python, 'bin', 'pip'), install)
  for (const kubernetes of KUBERNETES_VERSIONS) {
    const [source] = globSync(`lib/*/site-packages/*/kubernetes-json-schema/v${kubernetes}-local-strict`, {
      cwd: python,
    })
    mkdirSync(join(folder, kubernetes), { recursive: true })
    for (const name of readdirSync(join(python, source!))) {
      const text = readFileSync(join(python, source!, name), 'utf8')
      const { $id: _, ...schema } = JSON.parse(
        text.replaceAll('"/api/_definitions.json#', '"_definitions.json#'),
      ) as Record<string, unknown>
      writeFileSync(join(folder, kubernetes, name), JSON.stringify(schema))
    }
  }
  rmSync(python, { recursive: true })
}
