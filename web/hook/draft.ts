import type { Hook, Routes } from '#client/types.ts'
import type { HookKind } from '#domain/hook/settings.ts'
import { exitBody, exitDraft, NO_EXIT, type ExitDraft } from '../trade/exit.ts'
import { flatDraft, flatFault, flatOfSignals, type FlatDraft } from '../words/flat-by-close.ts'
import { KINDS } from './kinds.ts'
import { readSymbolLines, symbolLines } from './symbols-map.ts'

type Body = Routes['POST /api/v1/hooks']['request'][0]['body']

/** The message's size, a multiple of it, or the account's own. */
export type SizeBy = 'message' | 'multiplier' | 'quantity'
interface AccountSize {
  by: SizeBy
  /** As typed; empty where the size is the message's. */
  value: string
}

/** When a message is expected. */
export type Silence = 'never' | 'everySession' | 'everyDay'

/** Paths of fields in another sender's JSON, as typed. */
export interface TemplateDraft {
  symbol: string
  word: string
  /** Words that mean buy, sell and close, separated by commas. */
  buy: string
  sell: string
  close: string
  quantity: string
  orderType: string
  limitPrice: string
  id: string
}

export interface HookDraft {
  name: string
  kind: HookKind
  accounts: ReadonlyMap<string, AccountSize>
  executeMode: 'immediate' | 'pending'
  /** Minutes that a signal waits for approval; empty for no end. */
  approvalMinutes: string
  strategyId: string
  quantity: string
  quantityType: NonNullable<Body['quantityType']>
  exit: ExitDraft
  protection: 'refuse' | 'ignore'
  flatByClose: FlatDraft
  /** One line per symbol, see {@link readSymbolLines}. */
  symbols: string
  manages: 'own' | 'position'
  mayShort: boolean
  whenSame: 'nothing' | 'add'
  whenOpposite: 'reverse' | 'close'
  template: TemplateDraft
  onlyTradingView: boolean
  /** Other addresses, separated by spaces. */
  addresses: string
  requestsPerMinute: string
  silence: Silence
  /** Time in New York in each session: "10:00". */
  silentUntil: string
}

const TRADINGVIEW = 'tradingview'

export const newHookDraft = (): HookDraft => ({
  name: '',
  kind: 'tradingview',
  accounts: new Map(),
  executeMode: 'immediate',
  approvalMinutes: '10',
  strategyId: '',
  quantity: '',
  quantityType: 'fixed',
  exit: NO_EXIT,
  protection: 'refuse',
  flatByClose: flatDraft(null),
  symbols: '',
  manages: 'own',
  mayShort: false,
  whenSame: 'nothing',
  whenOpposite: 'close',
  template: {
    symbol: '',
    word: '',
    buy: 'buy, long',
    sell: 'sell, short',
    close: 'close, exit, flat',
    quantity: '',
    orderType: '',
    limitPrice: '',
    id: '',
  },
  onlyTradingView: false,
  addresses: '',
  requestsPerMinute: '60',
  silence: 'never',
  silentUntil: '10:00',
})

/** The name of the hook; its sender's without one. */
const nameOf = ({ name, kind }: Pick<HookDraft, 'name' | 'kind'>): string =>
  name.trim() === '' ? KINDS[kind].name : name.trim()

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[\s,;]+/)
    .filter(Boolean)

const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim())

function templateOf({ buy, sell, close, ...paths }: TemplateDraft) {
  const words = { buy, sell, close }
  return {
    symbol: paths.symbol.trim(),
    word: paths.word.trim(),
    words: Object.fromEntries(
      (['buy', 'sell', 'close'] as const).flatMap((ours) =>
        wordsOf(words[ours]).map((word) => [word, ours] as const),
      ),
    ),
    quantity: orNull(paths.quantity),
    orderType: orNull(paths.orderType),
    limitPrice: orNull(paths.limitPrice),
    id: orNull(paths.id),
  }
}

/** Body for a new hook with every choice, defaults included. */
export const bodyOf = (draft: HookDraft): Body => ({ kind: draft.kind, ...changeOf(draft) })

/** Body of a change, which keeps the kind. */
export function changeOf(draft: HookDraft) {
  const size = draft.quantity.trim()
  const exit = exitBody(draft.exit)
  return {
    name: nameOf(draft),
    accountIds: Array.from(draft.accounts, ([accountId, { by, value }]) =>
      by === 'message' ? accountId : { accountId, [by]: value.trim() },
    ),
    executeMode: draft.executeMode,
    approvalMinutes: draft.approvalMinutes.trim() === '' ? null : draft.approvalMinutes.trim(),
    strategyId: draft.strategyId === '' ? null : draft.strategyId,
    quantity: size === '' ? null : size,
    quantityType: draft.quantityType,
    exit: Object.keys(exit).length === 0 ? null : exit,
    protection: draft.protection,
    flatByClose: flatOfSignals(draft.flatByClose),
    symbols: readSymbolLines(draft.symbols).symbols,
    manages: draft.manages,
    mayShort: draft.mayShort,
    whenSame: draft.whenSame,
    whenOpposite: draft.whenOpposite,
    template: draft.kind === 'template' ? templateOf(draft.template) : null,
    requestsPerMinute: Number(draft.requestsPerMinute),
    addresses: [
      ...(draft.onlyTradingView ? [TRADINGVIEW] : []),
      ...draft.addresses.split(/[\s,;]+/).filter(Boolean),
    ],
    expects:
      draft.silence === 'never'
        ? null
        : draft.silence === 'everyDay'
          ? { atLeastEvery: 'day' as const }
          : { everySession: draft.silentUntil },
  } satisfies Omit<Body, 'kind'>
}

/** Missing input; null when the draft can be sent. */
export function missingOf(draft: HookDraft): string | null {
  if (draft.accounts.size === 0) return 'Choose an account'
  const unsized = [...draft.accounts.values()].some(
    ({ by, value }) => by !== 'message' && value.trim() === '',
  )
  if (unsized) return 'Enter the size for each account'
  if (draft.kind === 'template' && (draft.template.symbol.trim() === '' || draft.template.word.trim() === ''))
    return 'Enter where symbol and side are in the JSON'
  return flatFault(draft.flatByClose) ?? readSymbolLines(draft.symbols).fault
}

export function draftOf(hook: Hook): HookDraft {
  const { expects } = hook
  const empty = newHookDraft()
  return {
    ...empty,
    name: hook.name,
    kind: hook.kind,
    accounts: new Map(
      hook.accounts.map(({ accountId, multiplier, quantity }) => [
        accountId,
        multiplier !== null
          ? ({ by: 'multiplier', value: String(multiplier) } as const)
          : quantity !== null
            ? ({ by: 'quantity', value: String(quantity) } as const)
            : ({ by: 'message', value: '' } as const),
      ]),
    ),
    executeMode: hook.executeMode,
    approvalMinutes: hook.approvalMinutes === null ? '' : String(hook.approvalMinutes),
    strategyId: hook.strategyId ?? '',
    quantity: hook.quantity === null ? '' : String(hook.quantity),
    quantityType: hook.quantityType,
    exit: hook.exit === null ? NO_EXIT : exitDraft(hook.exit),
    protection: hook.protection,
    flatByClose: flatDraft(hook.flatByClose),
    symbols: symbolLines(hook.symbols),
    manages: hook.manages,
    mayShort: hook.mayShort,
    whenSame: hook.whenSame,
    whenOpposite: hook.whenOpposite,
    template: hook.template === null ? empty.template : templateDraftOf(hook.template),
    onlyTradingView: hook.addresses.includes(TRADINGVIEW),
    addresses: hook.addresses.filter((address) => address !== TRADINGVIEW).join(' '),
    requestsPerMinute: String(hook.requestsPerMinute),
    silence: expects === null ? 'never' : 'atLeastEvery' in expects ? 'everyDay' : 'everySession',
    silentUntil: expects !== null && 'everySession' in expects ? expects.everySession : empty.silentUntil,
  }
}

function templateDraftOf(template: NonNullable<Hook['template']>): TemplateDraft {
  const wordsFor = (ours: string): string =>
    Object.entries(template.words)
      .filter(([, meant]) => meant === ours)
      .map(([word]) => word)
      .join(', ')
  return {
    symbol: template.symbol,
    word: template.word,
    buy: wordsFor('buy'),
    sell: wordsFor('sell'),
    close: wordsFor('close'),
    quantity: template.quantity ?? '',
    orderType: template.orderType ?? '',
    limitPrice: template.limitPrice ?? '',
    id: template.id ?? '',
  }
}
