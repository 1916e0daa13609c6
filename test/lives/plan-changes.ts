import { pino } from 'pino'
import type { Caller } from '#api/http/caller.ts'
import { ApiError } from '#contract/errors.ts'
import { changeProtection } from '#api/exit/commands.ts'
import { UpdateRejected, type SignalGateway } from '#api/temporal/calls.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { Signal } from '#db/entities/index.ts'
import type { Broker } from '#brokers/port.ts'
import type { TradeSide } from '#domain/money/profit.ts'
import { workflowIdFor } from '#domain/signal/signal.ts'
import { onSide, type Levels } from './levels.ts'
import type { Troupe } from './troupe.ts'

/** Levels in dollars a share of a long position. */
export type LevelChange = Partial<Pick<Levels, 'stop' | 'target'>>

interface Service {
  em: EntityManager
  troupe: Troupe
  broker: Broker
  side: TradeSide
}

/**
 * Asks the API for changes of one plan at the same moment: each has read the plan before the first one is taken.
 *
 * @returns which of them were answered as taken
 */
export async function changeTogether(
  { em, troupe, broker, side }: Service,
  signalId: string,
  changes: readonly LevelChange[],
): Promise<boolean[]> {
  const hasRead = changes.map(() => Promise.withResolvers<void>())
  const send: (() => Promise<void>)[] = []
  let haveAllRead = false
  const answers = changes.map(async (change, place) => {
    const asks: SignalGateway['changeProtection'] = (_, input) => {
      const { promise, resolve, reject } = Promise.withResolvers<never>()
      const granted = (): void => resolve(undefined as never)
      const refused = (): void => reject(new UpdateRejected('PROTECTION_NOT_CHANGEABLE', 'it was refused'))
      send[place] = () => troupe.ask(workflowIdFor(signalId), 'changeProtection', input, granted, refused)
      hasRead[place]!.resolve()
      // Of one that is asked for once more.
      if (haveAllRead) void send[place]()
      return promise
    }
    const own = em.fork()
    try {
      await changeProtection(
        depsOf(broker, asks),
        callerOf(own),
        await own.findOneOrFail(Signal, { id: signalId }),
        Object.fromEntries(
          Object.entries(change).map(([part, price]) => [part, price && { price: onSide(price, side) }]),
        ),
      )
      return true
    } catch (error) {
      if (error instanceof ApiError) return false
      throw error
    } finally {
      hasRead[place]!.resolve()
    }
  })
  await Promise.all(hasRead.map(({ promise }) => promise))
  haveAllRead = true
  for (const place of changes.keys()) await send[place]?.()
  const all = Promise.all(answers)
  for (;;) {
    await troupe.work()
    const known = await Promise.race([all, new Promise<null>((resolve) => setImmediate(resolve, null))])
    if (known !== null) return known
  }
}

const depsOf = (
  broker: Broker,
  changes: SignalGateway['changeProtection'],
): Parameters<typeof changeProtection>[0] =>
  ({
    gateway: { changeProtection: changes },
    market: { told: async (_: unknown, symbols: string[]) => ({ quotes: await broker.getQuotes(symbols) }) },
    logger: pino({ level: 'silent' }),
    answerDeadline: 60_000,
  }) as unknown as Parameters<typeof changeProtection>[0]

const callerOf = (em: EntityManager): Caller =>
  ({
    em,
    principal: { tokenId: null },
    receivedAt: performance.now(),
    beforeDatabaseDeadline: <T>(work: Promise<T>) => work,
    actorName: async () => 'ann@example.test',
  }) as unknown as Caller
