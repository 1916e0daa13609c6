import type { Routes, Signal, SignalStatus } from '#client/types.ts'
import { FREED_STATUSES, isWaiting, LEAVING_STATUSES } from '#domain/signal/signal.ts'
import { fitsSymbol } from '../parts/symbols.ts'
import { EXITS, STATUSES, type ExecuteMode, type ExitStatus } from '../words/status.ts'

/** Filters of the list in the address; commas separate values, absent fields do not filter. */
export interface Filters {
  status?: string
  exit?: string
  account?: string
  strategy?: string
  token?: string
  group?: string
  symbol?: string
  mode?: string
  source?: string
  /** Dates of the device's calendar, such as 2026-03-02. */
  from?: string
  to?: string
  sort?: string
  /** Start of the page; the first page if absent. */
  cursor?: string
}

export type Query = NonNullable<NonNullable<Routes['GET /api/v1/signals']['request'][0]>['query']>

const MODES: readonly ExecuteMode[] = ['immediate', 'scheduled', 'pending']
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const DATE = /^\d{4}-\d\d-\d\d$/
/** Rows of a page, few enough for a browser to show at once. */
export const PAGE_SIZE = 50

const listOf = <T extends string>(text: string | undefined, all: readonly T[]): T[] =>
  all.filter((each) => text?.split(',').includes(each))

export const statusesOf = ({ status }: Filters): SignalStatus[] => listOf(status, STATUSES)
export const exitsOf = ({ exit }: Filters): ExitStatus[] => listOf(exit, EXITS)

/** Filters in an address. Invalid parts are ignored: a shortened or handwritten address still shows a list. */
export function readFilters(search: Readonly<Record<string, unknown>>): Filters {
  const text = (name: string): string => {
    const value = search[name]
    return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : ''
  }
  const found: Filters = {
    status: listOf(text('status'), STATUSES).join(','),
    exit: listOf(text('exit'), EXITS).join(','),
    account: matching(text('account'), UUID),
    strategy: matching(text('strategy'), UUID),
    token: matching(text('token'), UUID),
    group: matching(text('group'), UUID),
    symbol: matching(text('symbol').toUpperCase(), /^[A-Z0-9][A-Z0-9./-]{0,19}\*?$/),
    mode: listOf(text('mode'), MODES)[0] ?? '',
    source: text('source').slice(0, 255),
    from: matching(text('from'), DATE),
    to: matching(text('to'), DATE),
    sort: text('sort') === 'validUntil' ? 'validUntil' : '',
    cursor: text('cursor'),
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== ''))
}

const matching = (text: string, pattern: RegExp): string => (pattern.test(text) ? text : '')

/** Instant at which a date of the device's calendar begins, or one some days later; undefined for an invalid date. */
function dayStart(date: string | undefined, daysLater: number): string | undefined {
  if (date === undefined) return undefined
  const [year, month, day] = date.split('-').map(Number)
  const start = new Date(year!, month! - 1, day! + daysLater)
  return Number.isNaN(start.getTime()) ? undefined : start.toISOString()
}

export function queryOf(filters: Filters): Query {
  const { account, strategy, token, group, symbol, mode, source, sort, cursor } = filters
  const status = statusesOf(filters)
  const exitStatus = exitsOf(filters)
  const from = dayStart(filters.from, 0)
  const to = dayStart(filters.to, 1)
  return {
    limit: PAGE_SIZE,
    ...(status.length > 0 && { status }),
    ...(exitStatus.length > 0 && { exitStatus }),
    ...(account !== undefined && { accountId: account }),
    ...(strategy !== undefined && { strategyId: strategy }),
    ...(token !== undefined && { tokenId: token }),
    ...(group !== undefined && { groupId: group }),
    ...(symbol !== undefined && { symbol }),
    ...(mode !== undefined && { executeMode: mode as ExecuteMode }),
    ...(source !== undefined && { sourceId: source }),
    ...(sort !== undefined && { sort: 'validUntil' as const }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(cursor !== undefined && { cursor }),
  }
}

/** Whether a signal of the stream belongs to the list, as the service decides. */
export function fits(signal: Signal, query: Query): boolean {
  const is = <T>(wanted: T | undefined, value: T | null): boolean => wanted === undefined || wanted === value
  const isOneOf = (wanted: string | readonly string[] | undefined, value: string | undefined): boolean =>
    wanted === undefined || (value !== undefined && [wanted].flat().includes(value))
  return (
    isOneOf(query.status, signal.status) &&
    isOneOf(query.exitStatus, signal.exit?.status) &&
    is(query.accountId, signal.accountId) &&
    is(query.strategyId, signal.strategyId) &&
    is(query.tokenId, signal.tokenId) &&
    is(query.groupId, signal.groupId) &&
    fitsSymbol(query.symbol, signal.symbol) &&
    is(query.executeMode, signal.executeMode) &&
    is(query.sourceId, signal.sourceId) &&
    (query.from === undefined || signal.createdAt >= query.from) &&
    (query.to === undefined || signal.createdAt < query.to)
  )
}

export const VIEWS = {
  all: { name: 'All', status: [] },
  waiting: { name: 'Waiting', status: STATUSES.filter(isWaiting) },
  leaving: { name: 'Sending', status: [...LEAVING_STATUSES] },
  executed: { name: 'Executed', status: ['executed'] },
  ended: { name: 'Not executed', status: [...FREED_STATUSES] },
} as const satisfies Record<string, { name: string; status: readonly SignalStatus[] }>

export type View = keyof typeof VIEWS

/** The view with these statuses; undefined for another choice. */
export function viewOf(filters: Filters): View | undefined {
  const asked = statusesOf(filters).join(',')
  return (Object.keys(VIEWS) as View[]).find(
    (view) => listOf(VIEWS[view].status.join(','), STATUSES).join(',') === asked,
  )
}
