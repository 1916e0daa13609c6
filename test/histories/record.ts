/**
 * Records the history of every path, run by run, on a real server into the file of the present version. Run it before a
 * release; the file of a released version stays as it is, because signals may still be under way with it.
 *
 * With names of paths it records these alone, and leaves the others as an earlier build took them.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { shortHistoryAddress, stopServers } from '../support/servers.ts'
import { SignalStage } from '../support/signal-stage.ts'
import { PATHS } from './paths.ts'
import { readHistories, toStoredText, writeHistories } from './stored-history.ts'

const { version } = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8'),
) as { version: string }
const named = process.argv.slice(2)
const unknown = named.filter((name) => !(name in PATHS))
if (unknown.length > 0)
  throw new RangeError(`There is no path ${unknown.join(', ')} in test/histories/paths.ts`)

try {
  const stage = await SignalStage.onServerAt(await shortHistoryAddress())
  const histories = named.length === 0 ? new Map<string, string>() : readHistories(`v${version}`)
  for (const [name, path] of Object.entries(PATHS)) {
    if (named.length > 0 && !named.includes(name)) continue
    const play = await path(stage)
    const runs = await play.runs()
    for (const [index, history] of runs.entries()) {
      const run = runs.length === 1 ? name : `${name}.run-${index + 1}`
      histories.set(run, toStoredText(history))
      console.log(`${run}: ${history.events?.length} events`)
    }
  }
  writeHistories(`v${version}`, histories)
  await stage.close()
} finally {
  await stopServers()
}
