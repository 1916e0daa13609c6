import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { PART_BYTES, setAsideClosed, setAsideOpen } from '#config/log-parts.ts'
import { endProcess, signalGroup, type RecordedProcess, type RunRecord } from './run-record.ts'

export type ProcessRecord = Pick<RunRecord, 'isClosed' | 'add' | 'remove'>

export type ProcessSpec = {
  name: string
  command: string
  args: readonly string[]
  env?: NodeJS.ProcessEnv
  /** Numeric user and group, if this process may choose. */
  owner?: { uid: number; gid: number } | undefined
  logFile: string
  /** Whether the part rotates its log itself, between two lines. */
  keepsItsLogShort?: boolean
  /** Resolves once the process works; throws before. Called repeatedly. */
  ready: () => Promise<void>
  readyTimeoutMs: number
  stopSignal?: NodeJS.Signals
  graceMs?: number
}

export type ProcessExit = { code: number | null; signal: NodeJS.Signals | null }

/** Process that ended, or stayed silent, before it was ready. */
export class ProcessNotReadyError extends Error {
  override readonly name = 'ProcessNotReadyError'
  readonly part: string
  readonly logFile: string
  readonly lastLines: string
  constructor(spec: ProcessSpec, what: string, options?: ErrorOptions) {
    super(`${spec.name} ${what}`, options)
    this.part = spec.name
    this.logFile = spec.logFile
    this.lastLines = tail(spec.logFile)
  }
}

/**
 * A child in its own process group, recorded so that it stops even if this process is killed. Its output goes straight
 * to its log file.
 */
export class ManagedProcess {
  readonly spec: ProcessSpec
  readonly exited: Promise<ProcessExit>
  readonly #child: ChildProcess
  readonly #recorded: RecordedProcess | undefined
  #exit: ProcessExit | undefined

  /** Starts the process; wait for {@link ManagedProcess.untilReady} before using it. */
  static async start(spec: ProcessSpec, record: ProcessRecord): Promise<ManagedProcess> {
    if (record.isClosed) throw new Error(`${spec.name} is not started: everything is being stopped`)
    const log = openLog(spec.logFile)
    try {
      const child = spawn(spec.command, spec.args, {
        detached: true,
        stdio: ['ignore', log, log],
        env: spec.env ?? process.env,
        ...spec.owner,
      })
      // Without a process id it did not start, and the error event says why.
      if (child.pid === undefined) throw (await once(child, 'error'))[0]
      return new ManagedProcess(spec, child, child.pid, record)
    } finally {
      closeSync(log)
    }
  }

  private constructor(spec: ProcessSpec, child: ChildProcess, pid: number, record: ProcessRecord) {
    this.spec = spec
    this.#child = child
    const { name, stopSignal = 'SIGTERM', graceMs = 10_000 } = spec
    const watching = spec.keepsItsLogShort ? undefined : keepShort(spec.logFile)
    this.exited = new Promise((resolve) =>
      child.once('exit', (code, signal) => {
        this.#exit = { code, signal }
        clearInterval(watching)
        record.remove(pid)
        resolve(this.#exit)
      }),
    )
    this.#recorded = record.add({ name, pid, stopSignal, graceMs })
  }

  get isRunning(): boolean {
    return this.#exit === undefined
  }

  get pid(): number {
    return this.#child.pid!
  }

  /** Throws {@link ProcessNotReadyError}. */
  async untilReady(): Promise<void> {
    const deadline = Date.now() + this.spec.readyTimeoutMs
    let lastFault: unknown
    while (!this.#exit) {
      try {
        return await this.spec.ready()
      } catch (error) {
        lastFault = error
      }
      if (Date.now() > deadline)
        throw new ProcessNotReadyError(
          this.spec,
          `was not ready within ${Math.round(this.spec.readyTimeoutMs / 1000)} s`,
          { cause: lastFault },
        )
      await sleep(50)
    }
    throw new ProcessNotReadyError(this.spec, `ended before it was ready (${describeExit(this.#exit)})`)
  }

  /** Stops the process and its children in order, by force after the grace time. */
  async stop(): Promise<void> {
    if (this.#recorded && !this.#exit) await endProcess(this.#recorded)
    await this.exited
  }

  /** Kills the process and its children at once, as a crash would. */
  async kill(): Promise<void> {
    if (this.#recorded && !this.#exit) signalGroup(this.#recorded, 'SIGKILL')
    await this.exited
  }

  /** Lets this process end before the child; its guardian stops the child then. */
  unref(): void {
    this.#child.unref()
  }
}

/**
 * Starts the guardian, which stops the recorded processes after any end of this process. Until then it is a shell
 * without memory, which waits for the end of its input.
 */
export function startGuardian(record: RunRecord): void {
  const program = fileURLToPath(new URL('./guardian.ts', import.meta.url))
  const guardian = spawn(
    '/bin/sh',
    [
      '-c',
      'while read -r _; do :; done; [ -e "$3" ] && exec "$@"',
      'guardian',
      process.execPath,
      program,
      record.file,
    ],
    { detached: true, stdio: ['pipe', 'ignore', 'ignore'] },
  )
  guardian.unref()
  // The pipe shows the guardian that we are alive; it must not keep us alive.
  const pipe = guardian.stdin as unknown as { unref(): void }
  pipe.unref()
}

export function describeExit(exit: ProcessExit): string {
  return exit.signal ? `killed by ${exit.signal}` : `status ${exit.code}`
}

/** Milliseconds between two checks of a log's size. */
const LOG_LOOK = 2_000

/** Rotates a full log, until the returned timer is cleared. */
function keepShort(file: string): NodeJS.Timeout {
  let isUnderWay = false
  const look = async (): Promise<void> => {
    if (isUnderWay || !isFull(file)) return
    isUnderWay = true
    try {
      await setAsideOpen(file)
    } catch {
      // Without room for the copy the log grows, and the next check retries.
    }
    isUnderWay = false
  }
  return setInterval(() => void look(), LOG_LOOK).unref()
}

function openLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true })
  if (isFull(file)) setAsideClosed(file)
  return openSync(file, 'a', 0o600)
}

const isFull = (file: string): boolean => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > PART_BYTES

function tail(file: string): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-8).join('\n')
}
