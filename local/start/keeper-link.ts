import { answerCalls, CallError } from '../processes/calls.ts'
import type { KeeperFunctions } from '../processes/keeper.ts'
import { ProcessNotReadyError, type ProcessRecord, type ProcessSpec } from '../processes/managed-process.ts'
import { identify } from '../processes/process-identity.ts'
import { StartupError } from '../processes/startup-error.ts'

export type Keeper = {
  /** Throws {@link ProcessNotReadyError} when the part does not become ready; it has been stopped then. */
  keep(spec: ProcessSpec & { port: number }): Promise<void>
  stop(): Promise<void>
  record: ProcessRecord
  serveUi: KeeperFunctions['serveUi']
  serveCodec: KeeperFunctions['serveCodec']
}

/** Makes the forking process the keeper of a data folder. Throws {@link StartupError} if another run holds it. */
export async function claimKeeper(recordFile: string, dataFolder: string): Promise<Keeper> {
  const checks = new Map<string, () => Promise<void>>()
  const ask = answerCalls(process, { isReady: (name: string) => checks.get(name)!() })
  const call = <Name extends keyof KeeperFunctions>(name: Name, ...args: Parameters<KeeperFunctions[Name]>) =>
    ask(name, ...args) as ReturnType<KeeperFunctions[Name]>
  try {
    await call('claim', recordFile, dataFolder)
  } catch (error) {
    // The stack of this process is omitted.
    if (error instanceof CallError && error.kind === 'StartupError') throw new StartupError(error.message)
    throw error
  }
  return {
    async keep({ ready, ...spec }) {
      checks.set(spec.name, ready)
      try {
        await call('keep', spec)
      } catch (error) {
        if (!(error instanceof CallError && error.kind === 'ProcessNotReadyError')) throw error
        const what = error.message.slice(spec.name.length + 1)
        throw new ProcessNotReadyError(
          { ...spec, ready },
          what,
          error.cause === undefined ? {} : { cause: new Error(error.cause) },
        )
      }
    },
    stop: () => call('stop'),
    record: {
      isClosed: false,
      add(child) {
        const identity = identify(child.pid)
        if (!identity) return undefined
        const recorded = { ...child, stamp: identity.stamp }
        void call('noteTool', recorded)
        return recorded
      },
      remove: (pid) => void call('forgetTool', pid),
    },
    serveUi: (...args) => call('serveUi', ...args),
    serveCodec: (...args) => call('serveCodec', ...args),
  }
}
