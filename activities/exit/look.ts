import type { EntityManager } from '#db/engine/database.ts'
import { readSymbolBook } from '#db/orders/symbol-book.ts'
import { currentHalt } from '#db/risk/halts.ts'
import { acknowledgeEnds } from '#db/signals/ledger.ts'
import { endProtection, forgetCrossed, noteResting, trackProtection } from '#db/signals/protections.ts'
import { isPositive } from '#domain/decimal.ts'
import {
  isSessionOver,
  levelCrossed,
  lookWithLevels,
  lookWithoutLevels,
  type ExitLook,
  type LedgerFacts,
} from '#domain/exit/look.ts'
import { haltDenial } from '#domain/halt.ts'
import { keepsLevel } from '#domain/protection-watch.ts'
import type { ProtectiveAbilities } from '#domain/protection.ts'
import type { LookAtExitInput } from '../contract.ts'
import { outcomeUnknown } from '../failures.ts'

interface LookDependencies {
  em: EntityManager
  abilitiesOf(accountId: string): Promise<ProtectiveAbilities>
}

/** Reads the facts of an exit with levels, and works out which order of it should be at the broker. */
export async function lookAtExit({ em, abilitiesOf }: LookDependencies, input: LookAtExitInput): Promise<ExitLook> {
  const { signalId, accountId, symbol, acknowledges, exit } = input
  if (acknowledges.length > 0) await acknowledgeEnds(em, signalId, acknowledges)
  const tracked = await trackProtection(em, signalId)
  if (tracked === null && !isPositive(input.filled)) return lookWithoutLevels(input)
  if (tracked === null) throw outcomeUnknown('the average price of the entry is not known yet')
  const halt = await currentHalt(em, accountId)
  const { shares, live } = await readSymbolBook(em, accountId, symbol)
  const order = live.find(({ clientOrderId }) => clientOrderId === exit.workingOrder?.clientOrderId)
  const facts: LedgerFacts = {
    ...tracked,
    resting: tracked.exit && keepsLevel(tracked.exit.purpose) ? tracked.resting : null,
    abilities: await abilitiesOf(accountId),
    owned: shares.of(signalId),
    open: order?.open ?? '0',
    halt: halt?.level === 'fullStop' ? haltDenial(halt).detail : null,
  }
  const look = lookWithLevels(input, facts)
  // It may be reached again.
  if (tracked.crossed && levelCrossed(facts) === null) await forgetCrossed(em, signalId, tracked.crossed)
  if (exit.workingOrder === null && look.reached === null && tracked.noted)
    await noteResting(em, signalId, null, tracked.revision)
  // The levels are followed no longer, unless other ones take their place.
  if (exit.workingOrder === null && isSessionOver(input, tracked.plan)) await endProtection(em, signalId)
  return look
}
