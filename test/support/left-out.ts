import Mocha from 'mocha'

/** A program that a test needs is not on this machine and cannot be fetched: the test is left out. */
export class ToolMissing extends Error {
  override readonly name = 'ToolMissing'
  readonly tool: string
  readonly reason: string

  constructor(tool: string, reason: string, remedy: string, options?: ErrorOptions) {
    super(`${tool} is missing: ${reason} (${remedy})`, options)
    this.tool = tool
    this.reason = reason
  }
}

/** Where nobody watches, a test that is left out would pass for one that holds. */
export const failsWithoutTools = (): boolean => process.env['CI'] === 'true'

/** Tests that were left out: the tool that they lack -> their number. */
export type LeftOut = Readonly<Record<string, number>>

let leftOut: Record<string, number> = {}

/** Those of this process since the last call. */
export function takeLeftOut(): LeftOut {
  const taken = leftOut
  leftOut = {}
  return taken
}

let running: Mocha.Runnable | undefined
const setRunning = (runnable: Mocha.Runnable | undefined): void => void (running = runnable)

/** Fetching takes minutes, of which the time limit of the test that asks knows nothing. */
export async function withoutTimeLimit<T>(work: () => Promise<T>): Promise<T> {
  const asking = running
  const limit = asking?.timeout()
  asking?.timeout(0)
  try {
    return await work()
  } finally {
    if (limit) asking?.timeout(limit)
  }
}

const abandoned = new WeakSet<Mocha.Suite>()
const isAbandoned = (suite: Mocha.Suite | undefined): boolean =>
  suite !== undefined && (abandoned.has(suite) || isAbandoned(suite.parent))

/**
 * Has Mocha leave out a test that throws {@link ToolMissing}, and every test of the suite where a hook does, as skipped.
 * Hooks below such a suite are not run; those that clean up are, and may find that nothing was begun.
 */
export function leaveOutWithoutTools(): void {
  const { run } = Mocha.Runnable.prototype
  Mocha.Runnable.prototype.run = function (this: Mocha.Runnable, done): void {
    const isOfAbandoned = isHook(this) && isAbandoned(this.parent)
    if (isOfAbandoned && isHook(this, 'before')) return done()
    setRunning(this)
    run.call(this, (error: unknown) => {
      setRunning(undefined)
      const missing = failsWithoutTools() || isHook(this, 'after') ? undefined : missingTool(error)
      if (!missing) return done(isOfAbandoned ? undefined : error)
      const isOfSuite = isHook(this, 'before all')
      if (isOfSuite) abandoned.add(this.parent!)
      const tests = isOfSuite ? this.parent!.total() : 1
      leftOut[missing.tool] = (leftOut[missing.tool] ?? 0) + tests
      this.pending = true
      done()
    })
  }
}

const isHook = ({ type, title }: Mocha.Runnable & { type?: string }, kind = ''): boolean =>
  type === 'hook' && title.startsWith(`"${kind}`)

function missingTool(error: unknown): ToolMissing | undefined {
  if (error instanceof ToolMissing) return error
  return error instanceof Error && error.cause !== undefined ? missingTool(error.cause) : undefined
}
