import { cp, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { REPOSITORY } from '#test/architecture/source-files.ts'

/**
 * A build of the web app in which every hashed file has another name, as after a change that concerns all of them.
 * Resolves with its folder, which the caller removes.
 */
export async function newerBuild(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'durable-trader-newer-build-'))
  await cp(join(REPOSITORY, 'web', 'dist'), folder, { recursive: true })
  const assets = join(folder, 'assets')
  const isPacked = (name: string): boolean => /\.(br|gz)$/.test(name)
  for (const at of [folder, assets])
    for (const name of await readdir(at)) if (isPacked(name)) await rm(join(at, name))
  const hashed = await readdir(assets)
  const newer = (name: string): string => name.replace(/\.(\w+)$/, 'n.$1')
  const withNewNames = (text: string): string =>
    hashed.reduce((changed, name) => changed.replaceAll(name, newer(name)), text)
  for (const name of hashed) {
    if (/\.(js|css)$/.test(name)) await rewrite(join(assets, name), withNewNames)
    await rename(join(assets, name), join(assets, newer(name)))
  }
  await rewrite(join(folder, 'index.html'), withNewNames)
  await rewrite(join(folder, 'service-worker.js'), (text) =>
    withNewNames(text).replace(/name:(.)[0-9a-f]{12}\1/, 'name:$1newerbuild00$1'),
  )
  return folder
}

async function rewrite(file: string, change: (text: string) => string): Promise<void> {
  await writeFile(file, change(await readFile(file, 'utf8')))
}
