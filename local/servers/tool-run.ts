import { closeSync, openSync, readSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  describeExit,
  ManagedProcess,
  ProcessNotReadyError,
  type ProcessRecord,
} from '../processes/managed-process.ts'

export type ToolRun = {
  name: string
  command: string
  args: readonly string[]
  env?: NodeJS.ProcessEnv
  logFile: string
  record: ProcessRecord
  timeLimitMs: number
  /** Called about twice a second with the output so far. */
  onProgress: (output: string) => void
}

/** Runs a program. Throws {@link ProcessNotReadyError} if it fails or exceeds its limit. */
export async function runTool(run: ToolRun): Promise<void> {
  rmSync(run.logFile, { force: true })
  const spec = { ...run, ready: async () => {}, readyTimeoutMs: 0, graceMs: 2_000 }
  const tool = await ManagedProcess.start(spec, run.record)
  const deadline = Date.now() + run.timeLimitMs
  const ended = tool.exited.then(() => true)
  let output = ''
  const log = openSync(run.logFile, 'r')
  try {
    while (!(await Promise.race([ended, sleep(500, false, { ref: false })]))) {
      output += readOn(log)
      run.onProgress(output)
      if (Date.now() > deadline) {
        await tool.stop()
        throw new ProcessNotReadyError(
          spec,
          `took longer than ${Math.round(run.timeLimitMs / 60_000)} minutes`,
        )
      }
    }
  } finally {
    closeSync(log)
  }
  const exit = await tool.exited
  if (exit.code !== 0) throw new ProcessNotReadyError(spec, `failed (${describeExit(exit)})`)
}

function readOn(file: number): string {
  const chunk = Buffer.alloc(1024 * 1024)
  return chunk.toString('utf8', 0, readSync(file, chunk))
}
