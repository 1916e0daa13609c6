import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { identify, isRunning, type ProcessIdentity } from './process-identity.ts'

export type RecordedProcess = ProcessIdentity & { name: string; stopSignal: NodeJS.Signals; graceMs: number }

type Contents = {
  owner: ProcessIdentity
  /** Folder that is removed with the record, for runs without kept data. */
  temporaryFolder: string | undefined
  /** Processes in the order of their first start: a restarted one keeps its place. */
  processes: RecordedProcess[]
}

/** The processes of one run, in a file from which its guardian, or the next run, ends them after a kill. */
export class RunRecord {
  readonly file: string
  readonly #contents: Contents
  readonly #names: string[] = []
  #closed = false

  /** Claims the file for this process. Throws {@link AlreadyRunningError} while another live run holds it. */
  static async claim(file: string, temporaryFolder?: string): Promise<RunRecord> {
    const previous = read(file)
    if (previous && previous.owner.pid !== process.pid && isRunning(previous.owner))
      throw new AlreadyRunningError(previous.owner.pid)
    await endRecordedProcesses(file)
    return new RunRecord(file, temporaryFolder)
  }

  private constructor(file: string, temporaryFolder: string | undefined) {
    const owner = identify(process.pid)
    if (!owner) throw new Error('this process cannot be found in the process table')
    this.file = file
    this.#contents = { owner, temporaryFolder, processes: [] }
    mkdirSync(dirname(file), { recursive: true })
    this.#write()
  }

  get isClosed(): boolean {
    return this.#closed
  }

  get processes(): readonly RecordedProcess[] {
    return this.#contents.processes
  }

  /** Records a new child; undefined if it has already ended. */
  add(child: Omit<RecordedProcess, 'stamp'>): RecordedProcess | undefined {
    const identity = identify(child.pid)
    if (!identity) return undefined
    const recorded = { ...child, stamp: identity.stamp }
    this.note(recorded)
    return recorded
  }

  note(recorded: RecordedProcess): void {
    if (!this.#names.includes(recorded.name)) this.#names.push(recorded.name)
    const place = ({ name }: RecordedProcess) => this.#names.indexOf(name)
    this.#contents.processes = [...this.#contents.processes, recorded].toSorted((a, b) => place(a) - place(b))
    this.#write()
  }

  remove(pid: number): void {
    this.#contents.processes = this.#contents.processes.filter((child) => child.pid !== pid)
    this.#write()
  }

  /** Stops every child, last name first, and removes the record, even if its file is gone. */
  async close(): Promise<void> {
    // From here on nothing is written and no child can be added.
    this.#closed = true
    await endAll(this.#contents)
    rmSync(this.file, { force: true })
  }

  /** Kills every child; {@link RunRecord.close} must still be called. */
  killAll(): void {
    for (const child of this.#contents.processes) signalGroup(child, 'SIGKILL')
  }

  #write(): void {
    if (this.#closed) return
    // Renamed into place: a reader never meets a partial record.
    const draft = `${this.file}.${process.pid}`
    writeFileSync(draft, JSON.stringify(this.#contents, undefined, 2), { mode: 0o600 })
    renameSync(draft, this.file)
  }
}

export class AlreadyRunningError extends Error {
  override readonly name = 'AlreadyRunningError'
  readonly pid: number
  constructor(pid: number) {
    super(`already running as process ${pid}`)
    this.pid = pid
  }
}

/** Ends the processes of a killed run, newest first, and removes its record. Returns their names. */
export async function endRecordedProcesses(file: string): Promise<string[]> {
  const contents = read(file)
  if (!contents) return []
  const ended = await endAll(contents)
  rmSync(file, { force: true })
  return ended
}

async function endAll({ processes, temporaryFolder }: Contents): Promise<string[]> {
  const left = processes.filter(isRunning).toReversed()
  for (const child of left) await endProcess(child)
  if (temporaryFolder) rmSync(temporaryFolder, { recursive: true, force: true })
  return left.map((child) => child.name)
}

/** Asks a process group to stop, and kills it after the grace time. */
export async function endProcess(child: RecordedProcess): Promise<void> {
  signalGroup(child, child.stopSignal)
  const deadline = Date.now() + child.graceMs
  while (isRunning(child)) {
    if (Date.now() > deadline) signalGroup(child, 'SIGKILL')
    await sleep(25)
  }
}

/** Signals a process and its children, if it is still the same process. */
export function signalGroup(child: RecordedProcess, signal: NodeJS.Signals): void {
  if (!isRunning(child)) return
  try {
    process.kill(-child.pid, signal)
  } catch (error) {
    // The process ended between check and signal.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

function read(file: string): Contents | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Contents
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
