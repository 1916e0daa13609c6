import type { ChildProcess } from 'node:child_process'
import { connect } from 'node:net'
import { serveCodec, type CodecEndpointOptions } from '../servers/codec-endpoint.ts'
import { serveUi } from '../servers/ui-gate.ts'
import { answerCalls, type Message } from './calls.ts'
import { startGuardian, type ProcessSpec } from './managed-process.ts'
import { AlreadyRunningError, RunRecord, type RecordedProcess } from './run-record.ts'
import { StartupError } from './startup-error.ts'
import { Supervisor } from './supervisor.ts'

/** A process to keep; while the requesting process lives, it reports whether the part is ready. */
type KeptProcess = Omit<ProcessSpec, 'ready'> & {
  /** Port on 127.0.0.1; without a reporting process the part is ready when it listens. */
  port: number
}

export type KeeperFunctions = {
  /** Claims the data folder by its record. Throws if another run holds it. */
  claim(recordFile: string, dataFolder: string): Promise<void>
  keep(spec: KeptProcess): Promise<void>
  stop(): Promise<void>
  noteTool(tool: RecordedProcess): void
  forgetTool(pid: number): void
  serveUi(port: number, ui: Parameters<typeof serveUi>[2]): Promise<void>
  serveCodec(options: Omit<CodecEndpointOptions, 'codec'>, keyFile: string): Promise<string>
}

/**
 * Restarts and stops the parts. A child does everything that takes memory: it starts the installation, prints its
 * summary, and ends.
 *
 * @param first the child's first call, which came before a listener existed
 */
export function keepInstallation(starter: ChildProcess, first: Message): void {
  let record: RunRecord | undefined
  let supervisor: Supervisor | undefined
  const ask = answerCalls(
    starter,
    {
      async claim(recordFile, dataFolder) {
        record = await claim(recordFile, dataFolder)
        startGuardian(record)
        supervisor = new Supervisor({ record, announce: printWithTime })
      },
      keep: ({ port, ...spec }) =>
        supervisor!.keep({
          ...spec,
          ready: () => (starter.connected ? (ask('isReady', spec.name) as Promise<void>) : listens(port)),
        }),
      stop: () => supervisor!.stop(),
      noteTool: (tool) => record!.note(tool),
      forgetTool: (pid) => record!.remove(pid),
      async serveUi(port, ui) {
        await serveUi('127.0.0.1', port, ui)
      },
      serveCodec: async (options, keyFile) => (await serveCodec({ ...options, codec: codecOf(keyFile) })).url,
    } satisfies KeeperFunctions,
    first,
  )
  stopOnRequest(
    starter,
    async () => {
      await supervisor?.stop()
    },
    () => record?.killAll(),
  )
}

async function claim(recordFile: string, dataFolder: string): Promise<RunRecord> {
  try {
    return await RunRecord.claim(recordFile)
  } catch (error) {
    if (!(error instanceof AlreadyRunningError)) throw error
    throw new StartupError(
      `Durable Trader already runs on ${dataFolder} (process ${error.pid}). Stop it, or set DATA_DIR to another folder.`,
      { cause: error },
    )
  }
}

/** Keys and their code load on the first use of Temporal's UI. */
function codecOf(keyFile: string): CodecEndpointOptions['codec'] {
  let codec: Promise<CodecEndpointOptions['codec']> | undefined
  const load = async () =>
    (await import('../servers/installation-codec.ts')).installationCodec({ KEY_FILE: keyFile }, console.error)
  return { decode: async (payloads) => (await (codec ??= load())).decode(payloads) }
}

/** Ctrl-C, a closed terminal, a service manager or the end of npm stop in order; the second time, kill. */
function stopOnRequest(starter: ChildProcess, stop: () => Promise<void>, kill: () => void): void {
  let isStopping = false
  const end = async (status: number): Promise<void> => {
    isStopping = true
    await stop()
    if (status === 0) console.log('Stopped. Nothing is left running; the data is kept.')
    process.exit(status)
  }
  const requested = (): void => {
    if (isStopping) return kill()
    console.log('\nStopping everything, the API first (Ctrl-C again kills it at once) ...')
    starter.kill('SIGKILL')
    void end(0)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, requested)
  // With a closed terminal our output fails, which must not prevent the stop.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  starter.on('exit', (status) => {
    if (status !== 0 && !isStopping) void end(1)
  })
  watchNpm(requested)
}

/** A killed npm cannot pass the signal on; our parent process changes then. */
function watchNpm(gone: () => void): void {
  if (process.env['npm_lifecycle_event'] === undefined) return
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    gone()
  }, 1_000)
  watch.unref()
}

function listens(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve()
    })
    socket.once('error', reject)
  })
}

function printWithTime(sentence: string): void {
  console.log(`${new Date().toLocaleTimeString('en-GB')} ${sentence}`)
}
