import type { EntityManager } from '#db/engine/database.ts'
import { readSymbolState } from '#db/position/symbol-state.ts'
import { currentHalt } from '#db/risk/halts.ts'
import { growAdopted } from '#db/signal/adopted.ts'
import { acknowledgeEnds } from '#db/signal/ledger.ts'
import {
  endProtection,
  forgetCrossed,
  noteResting,
  trackProtection,
  type TrackedProtection,
} from '#db/exit/protections.ts'
import { isPositive } from '#domain/money/decimal.ts'
import { isSessionOver } from '#domain/exit/desired.ts'
import {
  levelCrossed,
  lookWithLevels,
  lookWithoutLevels,
  type ExitLook,
  type LedgerFacts,
} from '#domain/exit/look.ts'
import { haltDenial } from '#domain/risk/halt.ts'
import { earlier, instantAfter } from '#domain/time/instants.ts'
import { MOST_MOVES } from '#domain/exit/protection-watch.ts'
import { POSITION_LAG_MS } from '#domain/time/broker-clock.ts'
import { isFresh, isTooLarge } from '#domain/position/symbol-state.ts'
import type { ProtectiveAbilities } from '#domain/exit/protection.ts'
import type { LookAtExitInput } from '../contract.ts'
import { outcomeUnknown } from '../failures.ts'

/** Milliseconds. */
const ADOPTED_LOOKED_AT_EVERY = 300_000

interface LookDependencies {
  em: EntityManager
  abilitiesOf(accountId: string): Promise<ProtectiveAbilities>
}

/** Works out which exit order should be at the broker, where levels or a resting order need the ledger. */
export async function lookAtExit(deps: LookDependencies, given: LookAtExitInput): Promise<ExitLook> {
  const grown = given.isAdopted ? await growAdopted(deps.em, given) : null
  const look = await lookAtPresent(deps, grown === null ? given : { ...given, filled: grown.filled })
  const seen = given.isAdopted ? lookedAtAgain(look, given.now) : look
  return grown === null ? seen : { ...seen, grown }
}

/** Shares without an owner may change without an execution. */
function lookedAtAgain(look: ExitLook, now: string): ExitLook {
  if (look.desired.what !== 'wait' && !(look.desired.what === 'order' && look.isServed)) return look
  return {
    ...look,
    desired: {
      ...look.desired,
      again: earlier(look.desired.again, instantAfter(now, ADOPTED_LOOKED_AT_EVERY)),
    },
  }
}

async function lookAtPresent(deps: LookDependencies, input: LookAtExitInput): Promise<ExitLook> {
  const { signalId, accountId, symbol, acknowledges, exit, asked, filled } = input
  const { em } = deps
  const tracked = asked.protection ? await trackProtection(em, signalId) : null
  if (asked.protection && tracked === null && isPositive(filled))
    throw outcomeUnknown('the average price of the entry is not known yet')
  const symbolState = await readSymbolState(em, accountId, symbol)
  const order = symbolState.live.find(
    ({ clientOrderId }) => clientOrderId === exit.workingOrder?.clientOrderId,
  )
  const isLarge = order !== undefined && isTooLarge(order, symbolState)
  // A fresh execution may not be assigned to its order yet.
  const mayBeLate = isFresh(symbolState, POSITION_LAG_MS)
  const look =
    tracked === null
      ? lookWithoutLevels(input, isLarge && !mayBeLate)
      : await lookByLevels(deps, input, {
          tracked,
          owned: symbolState.shares.of(signalId),
          isTooLarge: isLarge && !mayBeLate,
        })
  // Otherwise the next order acts on these ends.
  if (acknowledges.length > 0 && (look.isServed || look.desired.what === 'wait'))
    await acknowledgeEnds(em, signalId, acknowledges)
  if (!isLarge || !mayBeLate || look.desired.what === 'none') return look
  const again = earlier(look.desired.again, instantAfter(input.now, POSITION_LAG_MS))
  return { ...look, desired: { ...look.desired, again } }
}

async function lookByLevels(
  { em, abilitiesOf }: LookDependencies,
  input: LookAtExitInput,
  { tracked, ...known }: Pick<LedgerFacts, 'owned' | 'isTooLarge'> & { tracked: TrackedProtection },
): Promise<ExitLook> {
  const { signalId, accountId, exit } = input
  const halt = await currentHalt(em, accountId)
  const facts: LedgerFacts = {
    ...tracked,
    ...known,
    resting: tracked.exit && tracked.resting,
    abilities: await abilitiesOf(accountId),
    isWornOut: tracked.exit !== null && tracked.exit.moves >= MOST_MOVES,
    halt: halt?.level === 'fullStop' ? haltDenial(halt).detail : null,
  }
  const look = lookWithLevels(input, facts)
  if (tracked.crossed && levelCrossed(facts) === null) await forgetCrossed(em, signalId, tracked.crossed)
  if (exit.workingOrder === null && look.reached === null && tracked.noted)
    await noteResting(em, signalId, null, tracked.revision)
  if (exit.workingOrder === null && isSessionOver(exit, tracked.protection, input.now))
    await endProtection(em, signalId)
  return look
}
