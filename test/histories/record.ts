/**
 * Records the history of every path, run by run, on a real server into the folder of the present version. Run it before a
 * release; the folder of a released version stays as it is, because signals may still be under way with it.
 *
 * With names of paths it records these alone, and leaves the others as an earlier build took them.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { shortHistoryAddress, stopServers } from '../support/servers.ts'
import { SignalStage } from '../support/signal-stage.ts'
import { PATHS } from './paths.ts'
import { toStoredText } from './stored-history.ts'

const { version } = JSON.parse(
  await readFile(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'),
) as { version: string }
const folder = join(import.meta.dirname, `v${version}`)
const named = process.argv.slice(2)
const unknown = named.filter((name) => !(name in PATHS))
if (unknown.length > 0) throw new RangeError(`There is no path ${unknown.join(', ')} in test/histories/paths.ts`)

try {
  const stage = await SignalStage.onServerAt(await shortHistoryAddress())
  if (named.length === 0) await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  for (const [name, path] of Object.entries(PATHS)) {
    if (named.length > 0 && !named.includes(name)) continue
    const play = await path(stage)
    const runs = await play.runs()
    for (const [index, history] of runs.entries()) {
      const file = runs.length === 1 ? name : `${name}.run-${index + 1}`
      await writeFile(join(folder, `${file}.json`), toStoredText(history))
      console.log(`${file}: ${history.events?.length} events`)
    }
  }
  await stage.close()
} finally {
  await stopServers()
}
