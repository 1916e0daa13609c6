import type { HookSettings } from '#domain/hook/settings.ts'
import type { SenderFields } from './sender-fields.ts'
import type { Guard, Protection } from './wish.ts'

const IS_KEPT = 'One of them alone is kept, at a price in dollars, by an order that is good for the day'
const IGNORE = 'let the hook ignore what cannot be kept (protection)'

/**
 * The exit fields of a body for a stop or a profit target that comes with what is opened; null where there is none. An entry is not
 * sent without its stop, unless the hook's owner has said so.
 */
export function keptExit(
  fields: SenderFields,
  { stop, target }: Protection,
  order: Record<string, unknown>,
  { protection }: HookSettings,
): { exit: Record<string, unknown>; names: Partial<Record<string, string>> } | null {
  const asked = [stop, target].filter((guard) => guard !== null)
  if (asked.length === 0) return null
  const faults = new Map<Guard, string>()
  for (const guard of asked) {
    if (guard.fault !== null) faults.set(guard, guard.fault)
    else if (order['timeInForce'] === 'gtc')
      faults.set(guard, 'cannot be kept for an entry that is good until cancelled')
  }
  const able = asked.filter((guard) => !faults.has(guard))
  if (stop !== null && target !== null && able.includes(target)) {
    const why = 'cannot be kept together with a stop: both would sell the same shares'
    if (protection === 'refuse' || able.includes(stop)) faults.set(target, why)
  }
  for (const [guard, why] of faults) {
    if (protection === 'ignore')
      fields.advise('protection_ignored', `${guard.given.name} ${why}; it was left out, as the hook says`)
    else
      fields.fault(
        guard.given,
        'protection_not_kept',
        `${guard.given.name} ${why}. ${IS_KEPT}: send that, or ${IGNORE}`,
      )
  }
  const kept = able.find((guard) => !faults.has(guard))
  return kept === undefined ? null : exitOf(kept, kept === stop)
}

function exitOf({ given, price, limit }: Guard, isStop: boolean) {
  const exitOrderType = isStop ? (limit === null ? 'stop' : 'stopLimit') : 'limit'
  const field = isStop ? 'exitStopPrice' : 'exitLimitPrice'
  return {
    exit: {
      exitTriggerType: 'immediate',
      exitOrderType,
      [field]: price,
      ...(limit !== null && { exitLimitPrice: limit }),
    },
    names: { [field]: given.name },
  }
}
