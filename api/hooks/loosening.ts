import type { HookTerms } from '#db/hooks/hooks.ts'
import type { AccountSize } from '#domain/account-size.ts'
import { compare } from '#domain/decimal.ts'
import { addressesOf } from '#domain/hook/addresses.ts'
import type { HookSettings } from '#domain/hook/settings.ts'
import { becomes, flatLater, loosenedBy, never, type Loosens, type LoosensEach } from '#domain/loosening.ts'
import { isDeepStrictEqual } from 'node:util'

type Loosened = Exclude<keyof HookTerms, 'settings'> | keyof HookSettings

/** Tightening some fields does not make up for loosening others. */
export const loosenedTerms = (before: HookTerms, after: HookTerms): Loosened[] => [
  ...loosenedBy(LOOSENS_TERM, before, after),
  ...loosenedBy(LOOSENS_SETTING, before.settings, after.settings),
]

/** Nobody can tell whether another value is safer; any is safer than nothing. */
const otherThanBefore: Loosens<unknown> = (before, after) =>
  before !== null && !isDeepStrictEqual(before, after)
const LOOSENS_TERM: LoosensEach<Omit<HookTerms, 'settings'>> = {
  name: never,
  kind: never,
  requestsPerMinute: (before, after) => after > before,
  addresses: (before, after) => {
    const listed = new Set(before.flatMap(addressesOf))
    return (
      listed.size > 0 && (after.length === 0 || after.flatMap(addressesOf).some((one) => !listed.has(one)))
    )
  },
  // Alerts about silence stop no trade.
  expects: never,
}

const LOOSENS_SETTING: LoosensEach<HookSettings> = {
  accounts: (before, after) =>
    after.some((account) => {
      const same = before.find(({ accountId }) => accountId === account.accountId)
      return !same || isLargerSize(same, account)
    }),
  executeMode: becomes('immediate'),
  // An old alert can be approved for longer.
  approvalMinutes: (before, after) => before !== null && (after === null || after > before),
  // A strategy may be paused, or be flat by the close.
  strategyId: otherThanBefore,
  // Without a size a message that says none is refused.
  quantity: (before, after) => after !== null && (before === null || compare(after, before) > 0),
  quantityType: otherThanBefore,
  exit: otherThanBefore,
  protection: becomes('ignore'),
  symbols: (before, after) =>
    [...new Set([...Object.keys(before), ...Object.keys(after)])].some(
      (name) => symbolOf(before, name) !== symbolOf(after, name),
    ),
  manages: becomes('position'),
  mayShort: becomes(true),
  whenSame: becomes('add'),
  whenOpposite: becomes('reverse'),
  template: otherThanBefore,
  flatByClose: flatLater,
}

/** A size of its own and a multiplier cannot be compared. */
function isLargerSize(before: AccountSize, after: AccountSize): boolean {
  if (before.quantity !== null && after.quantity !== null) return compare(after.quantity, before.quantity) > 0
  if (before.quantity !== null || after.quantity !== null) return true
  return compare(after.multiplier ?? '1', before.multiplier ?? '1') > 0
}

const symbolOf = (symbols: HookSettings['symbols'], name: string): string =>
  Object.hasOwn(symbols, name) ? symbols[name]! : name
