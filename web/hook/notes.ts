import type { Strategy } from '#client/types.ts'
import { TRIGGER } from '#domain/exit/exit.ts'
import { flatTerms, flatWords } from '../words/flat-by-close.ts'
import type { HookDraft } from './draft.ts'
import { meaningWords } from './meaning.ts'
import { readSymbolLines } from './symbols-map.ts'

const UNITS = {
  fixed: ' shares',
  percentEquity: ' % of equity',
  dollarAmount: ' dollars',
  riskPercent: ' % of equity at risk',
  riskDollars: ' dollars at risk',
} as const satisfies Record<HookDraft['quantityType'], string>

const meaningNote = (draft: HookDraft): string =>
  draft.manages === 'own' ? sidesNote(draft) : `${sidesNote(draft)}; it manages the whole position`

function sidesNote(draft: HookDraft): string {
  if (draft.kind === 'json')
    return draft.mayShort ? 'openShort may open a short position' : 'Long positions only'
  if (draft.kind !== 'tradingview') return meaningWords(draft)
  return draft.mayShort
    ? 'Long and short, as the strategy is'
    : 'Long only: no position while the strategy is short'
}

export function notesOf(draft: HookDraft, strategies: readonly Pick<Strategy, 'id' | 'name'>[]) {
  const { quantity, quantityType, exit, protection, onlyTradingView, addresses, requestsPerMinute } = draft
  const count = Object.keys(readSymbolLines(draft.symbols).symbols).length
  const others = addresses.split(/[\s,;]+/).filter(Boolean).length
  const from = [
    onlyTradingView && 'TradingView',
    others > 0 && `${others} ${others === 1 ? 'address' : 'addresses'}`,
  ].filter(Boolean)
  return {
    size:
      quantity.trim() === ''
        ? 'From the message; a message without a quantity is refused'
        : `${quantity.trim()}${UNITS[quantityType]} if the message has none`,
    meaning: meaningNote(draft),
    exit:
      exit.exitTriggerType === ''
        ? 'None: a position stays until a message closes it'
        : TRIGGER[exit.exitTriggerType].when({
            minutes: Number(exit.exitTriggerMinutes),
            clockTime: `${exit.exitTriggerTime} New York`,
          }),
    protection:
      protection === 'refuse'
        ? 'A message whose stop or target cannot be kept is refused'
        : 'Stops and targets that cannot be kept are left out',
    flatByClose: draft.flatByClose.isOn
      ? `Closes what it holds ${flatWords(flatTerms(draft.flatByClose))}`
      : 'Off: positions may be held overnight',
    symbols: count === 0 ? 'The sender’s names' : `${count} ${count === 1 ? 'name' : 'names'} of its own`,
    strategy:
      draft.strategyId === ''
        ? 'None'
        : (strategies.find(({ id }) => id === draft.strategyId)?.name ?? 'a strategy'),
    senders: `${from.length === 0 ? 'Anyone with the address' : `Only ${from.join(' and ')}`}, ${requestsPerMinute} requests a minute`,
    silence: {
      never: 'No notification when no message comes',
      everySession: `You are notified if no message came in a session by ${draft.silentUntil} New York`,
      everyDay: 'You are notified if no message came for a day',
    }[draft.silence],
  }
}
