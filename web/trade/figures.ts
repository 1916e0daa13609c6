import { expectedOf, openingOf, type Expected } from '../exit/levels.ts'
import { isBuying } from '../words/order.ts'
import type { Checked } from './checked.ts'
import type { Draft } from './draft.ts'
import { leavesPosition, priceOf, sharesOf, type Scene } from './scene.ts'
import type { Sent } from './sent.ts'

/** Dollars and shares from the service's answer, or before it from market prices. */
export function figuresOf(draft: Draft, scene: Scene, checked: Checked | null) {
  const order = checked?.dryRun?.order
  const shares = order?.quantity ?? sharesOf(draft)
  const price = priceOf(draft, scene.quote)
  const before = checked?.figures?.position.before ?? scene.held ?? 0
  const buys = order ? isBuying(order) : draft.side === 'BUY'
  // A reversal continues on the other side of zero.
  const beyond = checked?.dryRun?.follows?.quantity ?? 0
  const traded = shares + beyond
  return {
    shares,
    cost: checked?.figures?.cost ?? (price === null || !(shares > 0) ? null : price * shares),
    before,
    after: checked?.figures?.position.after ?? (shares > 0 ? before + (buys ? traded : -traded) : null),
    buyingPower: checked?.figures?.buyingPower ?? scene.buyingPower,
    opens: leavesPosition(draft, before),
    isBuy: buys,
  }
}

/** Basis of the exit's levels before the entry fills. */
export const expectedBy = (sent: Sent, checked: Checked | null, { quote }: Scene): Expected =>
  expectedOf(
    {
      action: sent.as === 'signal' ? sent.body.action : 'openLong',
      limitPrice: null,
      stopPrice: null,
    },
    checked?.dryRun ? openingOf(checked.dryRun) : null,
    quote?.last ?? null,
  )
