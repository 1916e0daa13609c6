import { Listr } from 'listr2'

export type Report = (progress: string) => void

const isLive = process.stdout.isTTY
/** Milliseconds between two lines where lines cannot be overwritten. */
const PLAIN_LINE_INTERVAL_MS = 10_000

/** Result for other steps and, for people, a detail such as the address. */
export type StepResult<T> = { outcome: T; detail: string }

export class Step<T> {
  readonly title: string
  /** Rejects with the error that ended the step. */
  readonly outcome: Promise<T>
  readonly #work: (report: Report) => Promise<StepResult<T>>
  readonly #settle: Pick<PromiseWithResolvers<T>, 'resolve' | 'reject'>

  constructor(title: string, work: (report: Report) => Promise<StepResult<T>>) {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    this.title = title
    this.outcome = promise
    this.#work = work
    this.#settle = { resolve, reject }
    // The runner reports the error, even if no step waits for this one.
    promise.catch(() => {})
  }

  async run(report: Report): Promise<string> {
    try {
      const { outcome, detail } = await this.#work(report)
      this.#settle.resolve(outcome)
      return detail
    } catch (error) {
      this.#settle.reject(error)
      throw error
    }
  }
}

/**
 * Runs the steps in parallel, each with a live line. After a failure the others are given up, and the error is thrown
 * once all have ended.
 *
 * @param giveUp ends the running steps
 */
export async function runSteps(
  steps: readonly Pick<Step<unknown>, 'title' | 'run'>[],
  giveUp: () => Promise<void>,
): Promise<void> {
  let failure: { error: unknown } | undefined
  const list = new Listr(
    steps.map((step) => ({
      title: step.title,
      task: async (_: unknown, line) => {
        try {
          const show = (progress: string) => void (line.output = progress)
          const detail = await step.run(isLive ? show : sparingly((it) => show(`${step.title}: ${it}`)))
          line.title = `${step.title}: ${detail}`
        } catch (error) {
          if (failure) {
            line.skip('given up')
            return
          }
          failure = { error }
          await giveUp()
          throw new Error('see below', { cause: error })
        }
      },
    })),
    {
      concurrent: true,
      exitOnError: false,
      // The keeper, which started the processes, stops them in order.
      registerSignalListeners: false,
      renderer: 'default',
      rendererOptions: { showSkipMessage: true },
      fallbackRenderer: 'simple',
      fallbackRendererCondition: () => !isLive,
    },
  )
  await list.run()
  if (failure) throw failure.error
}

/** Drops reports that follow the last one too soon. */
function sparingly(report: Report): Report {
  let last = 0
  return (progress) => {
    if (Date.now() - last < PLAIN_LINE_INTERVAL_MS) return
    last = Date.now()
    report(progress)
  }
}
