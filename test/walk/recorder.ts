import { watch, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'

/**
 * Loaded before a process of the service, into each of its threads: counts the calls of every function. When the folder
 * `WALK_FOLDER` gets a file `<window>.over` it writes beside it which functions have run since the window before, to
 * `<process>-<thread>-<window>.json`. No part of the service knows of it.
 */
const folder = process.env['WALK_FOLDER']!
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

async function write(window: number): Promise<void> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const ran = result
    .map(({ url, functions }) => ({
      url,
      functions: functions
        .filter(({ ranges }) => ranges[0]!.count > 0)
        .map(({ functionName, ranges }) => ({ name: functionName, at: ranges[0]!.startOffset })),
    }))
    .filter(({ functions }) => functions.length > 0)
  writeFileSync(join(folder, `${process.pid}-${threadId}-${window}.json`), JSON.stringify(ran))
}

let last = 0
watch(folder, { persistent: false }, (_, file) => {
  const window = Number(/^(\d+)\.over$/.exec(file ?? '')?.[1] ?? 0)
  if (window <= last) return
  last = window
  void write(window)
})
