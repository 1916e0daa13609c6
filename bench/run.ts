import { Client, Connection } from '@temporalio/client'
import { Stack } from '#test/support/stack.ts'
import workerPackage from '@temporalio/worker/package.json' with { type: 'json' }
import { floor, koaRow, service, type Contestant } from './contestants.ts'
import { sendDownEveryPath, type HistorySizes } from './histories.ts'
import { liftOrderLimit } from '#test/support/order-limit.ts'
import { emptyTally, takeTurns, warmUp, type BenchOptions, type Tally } from './rounds.ts'

export type ContestantName = 'floor' | 'service' | 'koa'

/** What was measured, by the name of the program. */
export type Versions = Record<'Node' | 'Temporal server' | 'Temporal SDK' | 'PostgreSQL', string>

export interface BenchResult {
  options: BenchOptions
  tallies: Record<ContestantName, Tally>
  histories: HistorySizes
  versions: Versions
}

/** As the service is shipped, but for a deadline and a bound that cut no measurement short; and PostgreSQL flushes for real. */
export const SETTINGS = {
  api: { API_WORKER: 'on', SIGNAL_ANSWER_DEADLINE_MS: '30000', SIGNALS_AT_ONCE: '1000' },
  postgres: { fsync: 'on', full_page_writes: 'on' },
}

/** Brings the service up, lets the contestants take turns, and tears everything down. */
export async function runBench(options: BenchOptions, tell: (what: string) => void): Promise<BenchResult> {
  tell('starting the service')
  const stack = await Stack.start(SETTINGS)
  // Without the service's encryption: the floor is what Temporal itself costs.
  const client = new Client({ connection: await Connection.connect({ address: stack.addresses.temporal }) })
  const contestants = new Map<ContestantName, Contestant>()
  try {
    contestants.set('floor', await floor(stack, client))
    contestants.set('service', service(stack))
    contestants.set('koa', await koaRow(stack))
    await liftOrderLimit(stack)
    tell('warming up')
    for (const contestant of contestants.values()) await warmUp(contestant, options)
    const measureHistories = await sendDownEveryPath(stack, client)

    const tallies = { floor: emptyTally(), service: emptyTally(), koa: emptyTally() }
    await takeTurns(
      [...contestants].map(([name, contestant]) => ({ contestant, tally: tallies[name] })),
      options,
      tell,
    )
    tell('waiting for the last exit')
    return {
      options,
      tallies,
      histories: await measureHistories(),
      versions: await versionsOf(stack, client),
    }
  } catch (error) {
    console.error(stack.logs())
    throw error
  } finally {
    for (const contestant of contestants.values()) await contestant.close()
    await client.connection.close()
    await stack.close()
  }
}

async function versionsOf(stack: Stack, client: Client): Promise<Versions> {
  const { serverVersion } = await client.workflowService.getSystemInfo({})
  const [row] = await stack.query<{ server_version: string }>('show server_version')
  return {
    Node: process.version.slice(1),
    'Temporal server': serverVersion ?? '',
    'Temporal SDK': workerPackage.version,
    PostgreSQL: row!.server_version,
  }
}
