import { fileURLToPath } from 'node:url'
import { Stack } from '#test/support/stack.ts'
import { startChild } from '../child.ts'
import { service } from '../contestants.ts'
import { liftOrderLimit } from '#test/support/order-limit.ts'
import { emptyTally, takeTurns, warmUp, type BenchOptions, type Tally } from '../rounds.ts'
import { SETTINGS } from '../run.ts'

/** What was measured of a service that exports nothing, and of another that exports the trace of every signal. */
export interface TracesBench {
  options: BenchOptions
  without: Tally
  traced: Tally
}

/** Brings both services and a collector up, lets the two take turns, and tears everything down. */
export async function runTracesBench(
  options: BenchOptions,
  tell: (what: string) => void,
): Promise<TracesBench> {
  tell('starting both services')
  const collector = await startChild(fileURLToPath(new URL('collector.ts', import.meta.url)), {})
  const stacks: Stack[] = []
  try {
    const traces = { TRACES_ENDPOINT: collector.ready as string, TRACES_RATIO: '1' }
    stacks.push(await Stack.start(SETTINGS))
    stacks.push(await Stack.start({ ...SETTINGS, api: { ...SETTINGS.api, ...traces }, worker: traces }))
    const sides = stacks.map((stack) => ({ contestant: service(stack), tally: emptyTally() }))
    for (const stack of stacks) await liftOrderLimit(stack)
    tell('warming up')
    for (const { contestant } of sides) await warmUp(contestant, options)
    await takeTurns(sides, options, tell)
    const [without, traced] = sides
    return { options, without: without!.tally, traced: traced!.tally }
  } catch (error) {
    for (const stack of stacks) console.error(stack.logs())
    throw error
  } finally {
    for (const stack of stacks) await stack.close()
    await collector.stop()
  }
}
