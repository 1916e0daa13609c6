import { join } from 'node:path'
import { PROJECT } from '#config/source-hash.ts'
import { compiledOnce } from '../servers/program-source.ts'
import { requireOk } from './external-parts.ts'
import type { ProcessSpec } from '../processes/managed-process.ts'

/** The module that Node loads into every thread of a process in which workflows run, before its own code. */
const WITH_WORKFLOWS = `--import=${new URL('../../config/workflow-threads.ts', import.meta.url).href}`
/** Megabytes for new objects, three times in each thread; Node's own are 16. `--expose-gc` is for config/idle-collection.ts. */
const FLAGS = {
  api: ['--max-semi-space-size=2', '--expose-gc', WITH_WORKFLOWS],
  venue: ['--max-semi-space-size=1'],
  worker: ['--max-semi-space-size=2', WITH_WORKFLOWS],
}
/** glibc gives memory back that it would keep, an arena for each thread otherwise. */
const SMALL_HEAP = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' }

/** One of the project's own processes. */
export type OwnProcess = {
  /** As people read it, such as "API". */
  name: string
  /** The room whose `main.ts` it is. */
  room: 'api' | 'venue' | 'worker'
  /** Settings beside those this process has itself. */
  settings: Readonly<Record<string, string>>
  /** Answers 2xx once it works. */
  healthUrl: string
  logFolder: string
  graceMs: number
}

/** How to start one of the project's own processes, on the Node that runs this one. */
export function ownProcess(own: OwnProcess): ProcessSpec {
  const { name, room, settings, healthUrl, logFolder, graceMs } = own
  const logFile = join(logFolder, `${room}.log`)
  return {
    name,
    command: process.execPath,
    // node:sqlite still announces itself as experimental at every start.
    args: ['--disable-warning=ExperimentalWarning', ...FLAGS[room], join(PROJECT, room, 'main.ts')],
    env: {
      ...compiledOnce(),
      ...SMALL_HEAP,
      ...process.env,
      LOG_FORMAT: 'json',
      LOG_FILE: logFile,
      ...settings,
    },
    logFile,
    keepsItsLogShort: true,
    ready: () => requireOk(healthUrl),
    readyTimeoutMs: 60_000,
    graceMs,
  }
}
