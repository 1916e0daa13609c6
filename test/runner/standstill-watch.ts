/** The thread of {@link watchForStandstill}: it needs nothing of the thread that it watches. */
import { writeSync } from 'node:fs'
import { Session, type Debugger } from 'node:inspector/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { workerData } from 'node:worker_threads'

const { beats, after }: { beats: Int32Array; after: number } = workerData

/** How often the code is looked at, since one look may find it in a part that does come to its end. */
const LOOKS = 3
/** Milliseconds. */
const BETWEEN_LOOKS = 500

const STANDARD_ERROR = 2

// Messages of the inspector alone do not keep a thread alive.
setInterval(() => {}, after)
await untilStandstill()
await showWhere()

async function untilStandstill(): Promise<void> {
  for (let seen = -1; ;) {
    await pause(after)
    const beat = Atomics.load(beats, 0)
    if (beat === seen) return
    seen = beat
  }
}

async function showWhere(): Promise<void> {
  const session = new Session()
  session.on('Debugger.paused', ({ params }) => {
    const heap = Math.round(process.memoryUsage.rss() / 2 ** 20)
    const stack = params.callFrames.map(lineOf).join('\n')
    writeSync(
      STANDARD_ERROR,
      `\nNo timer has run for ${after} ms (memory ${heap} MB). The code is at\n${stack}\n`,
    )
    void session.post('Debugger.resume')
  })
  session.connectToMainThread()
  await session.post('Debugger.enable')
  for (let look = 0; look < LOOKS; look += 1) {
    await session.post('Debugger.pause')
    await pause(BETWEEN_LOOKS)
  }
  session.disconnect()
}

function lineOf({ functionName, url, location }: Debugger.CallFrame): string {
  return `    at ${functionName || '<anonymous>'} (${url}:${location.lineNumber + 1}:${(location.columnNumber ?? 0) + 1})`
}
