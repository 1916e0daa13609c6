import assert from 'node:assert/strict'
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isRunning, type ProcessIdentity } from '#local/processes/process-identity.ts'
import type { DemoCredentials } from '#local/start/demo.ts'
import { ownPorts } from './lasting-port.ts'
import { tool } from './tools.ts'

const LOCAL = fileURLToPath(new URL('../../local', import.meta.url))
const MAIN = join(LOCAL, 'main.js')

/** An installation as `npm start` makes it, in a data folder and on ports of its own. */
export class LocalInstallation {
  readonly folder: string
  readonly environment: NodeJS.ProcessEnv
  /** What the present or last run has printed. */
  output = ''
  #running: ChildProcess | undefined

  /** @param settings beside ports and data folder */
  static async plan(folder: string, settings: Record<string, string> = {}): Promise<LocalInstallation> {
    const environment: NodeJS.ProcessEnv = { ...process.env, ...(await ownPorts()), DATA_DIR: folder }
    for (const part of ['DATABASE_URL', 'TEMPORAL_ADDRESS', 'VENUE_URL']) delete environment[part]
    return new LocalInstallation(folder, { ...environment, ...settings })
  }

  private constructor(folder: string, environment: NodeJS.ProcessEnv) {
    this.folder = folder
    this.environment = environment
  }

  /**
   * Starts it, and resolves when it says that everything works.
   *
   * @param options as they follow `npm start --`
   */
  async start(...options: string[]): Promise<void> {
    // It would fetch the server itself, within the time limit of the test.
    if (this.environment['TEMPORAL_ADDRESS'] === undefined) await tool('temporal')
    this.output = ''
    const child = spawn(process.execPath, [MAIN, ...options], {
      env: this.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#running = child
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => (this.output += String(chunk)))
    while (!this.output.includes('Ctrl-C stops everything.')) {
      assert.equal(child.exitCode, null, this.output)
      await sleep(50)
    }
  }

  /** Sends a signal to the run, and resolves when it has ended; the guardian may be at work then. */
  async stop(signal: NodeJS.Signals): Promise<void> {
    const child = this.#running
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await once(child, 'exit')
  }

  /** Ends the run and all parts on the spot, as the loss of the machine does. */
  async crash(): Promise<void> {
    const parts = this.parts()
    await this.stop('SIGKILL')
    for (const { pid } of parts.filter(isRunning)) process.kill(-pid, 'SIGKILL')
    while (existsSync(join(this.folder, 'run.json'))) await sleep(50)
  }

  /** The processes that it has started. */
  parts(): (ProcessIdentity & { name: string })[] {
    return this.#read('run.json').processes
  }

  credentials(): DemoCredentials {
    return this.#read('demo-credentials.json')
  }

  /** Runs one of its commands, such as `backup`, to the end. */
  run(command: string, args: readonly string[]): Promise<{ code: number; output: string }> {
    return this.#toItsEnd([this.#local(`commands/${command}`), ...args])
  }

  /** Starts another run on the same data folder, which has to end. */
  startAgain(): Promise<{ code: number; output: string }> {
    return this.#toItsEnd([MAIN])
  }

  #toItsEnd(line: readonly string[]): Promise<{ code: number; output: string }> {
    return new Promise((resolve) => {
      execFile(process.execPath, line, { env: this.environment }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
      )
    })
  }

  /** Begins one of its commands, for a test that cuts it off. */
  begin(command: string, args: readonly string[]): ChildProcess {
    return spawn(process.execPath, [this.#local(`commands/${command}`), ...args], {
      env: this.environment,
      stdio: 'ignore',
    })
  }

  #local(file: string): string {
    return join(LOCAL, `${file}.ts`)
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- each caller says what it reads
  #read(file: string): any {
    return JSON.parse(readFileSync(join(this.folder, file), 'utf8'))
  }
}
