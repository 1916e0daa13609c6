import type { Broker } from '#brokers/port.ts'
import { nextPart } from '#domain/session.ts'
import { smaller } from '#domain/decimal.ts'
import { exitPurpose, type ExitReason, type ExitTerms } from '#domain/exit.ts'
import { clientOrderIdFor, type OrderReport } from '#domain/order.ts'
import type { SizeExitInput } from '../contract.ts'

export type SentExit = OrderReport & { reason: ExitReason }

export const keyOf = ({ generation }: SizeExitInput): string => `exit-${generation}`

export const clientOrderIdOf = ({ signalId, generation, reason }: SizeExitInput): string =>
  clientOrderIdFor(signalId, exitPurpose(reason), generation)

/** Of which the ledger has lost the decision. */
export async function findItself(broker: Broker, input: SizeExitInput): Promise<SentExit | null> {
  const kinds: ExitReason[] = ['PROTECTION', 'TIME', 'TAKE_PROFIT']
  for (const reason of kinds) {
    const found = await broker.findOrder(clientOrderIdOf({ ...input, reason }))
    if (found) return { ...found, reason }
  }
  return null
}

/** Shares beyond it are left to the next exit: of an auction's exit this one may have been the part of a share only. */
export function asSent(sent: SentExit, { filledQuantity, rule }: SizeExitInput) {
  const { quantity } = sent
  const isPart = nextPart(rule, quantity).isFraction
  const coversQuantity = smaller(quantity, filledQuantity)
  const order = { reason: sent.reason, terms: termsOf(sent) }
  return { quantity, coversQuantity, notBefore: null, ...(isPart && { isFraction: true }), order }
}

function termsOf(sent: OrderReport): ExitTerms {
  const { orderType, limitPrice, stopPrice, stopLimitPrice, trail } = sent
  return {
    orderType,
    limitPrice,
    stopPrice,
    ...(stopLimitPrice != null && { stopLimitPrice }),
    ...(trail != null && { trail }),
    timeInForce: sent.timeInForce === 'gtc' || sent.timeInForce === 'cls' ? sent.timeInForce : 'day',
  }
}
