import type { ReactNode } from 'react'
import type { Account, Quote, Signal } from '#client/types.ts'
import { isOpening } from '#domain/signal/signal.ts'
import { Moving } from '../parts/moving.tsx'
import { money, number, percent, shares } from '../words/figures.ts'
import { isBuying, sideWord } from '../words/order.ts'
import { exitSchedule, isBuy, isByPosition, legsWords, lifetime } from '../words/signal.ts'
import { age, bothTimes, marketTime } from '../words/times.ts'
import { expectedOf, openingOf } from '../exit/levels.ts'
import { ExpectedLevels } from '../exit/expected-levels.tsx'
import type { Check } from './refusal.ts'
import { movedPercent, useLastHour } from './prices.ts'

interface Props {
  signal: Signal
  account: Account | undefined
  now: number
  check: Check | undefined
  /** The newest price; the check has an older one. */
  quote: Quote | undefined
}

export const Figures = ({ signal, account, check, quote, now }: Props) => (
  <dl className="grid grid-cols-2 border-b border-line desk:grid-cols-[1.3fr_1fr_1.1fr]">
    <Price signal={signal} check={check} quote={quote} now={now} />
    <Move signal={signal} check={check} quote={quote} />
    <Cost signal={signal} account={account} check={check} />
  </dl>
)

function Price({ signal, check, quote, now }: Omit<Props, 'account'>) {
  const known = quote ?? check?.quote
  const held = signal.heldPrice
  const lastHour = useLastHour(signal, check !== undefined && isDesk())
  return (
    <Figure
      label="Price now"
      value={<Moving value={known?.last ?? null}>{known?.last == null ? '–' : money(known.last)}</Moving>}
      picture={<Sparkline values={lastHour} level={held} className="-mt-4 hidden shrink-0 wide:block" />}
    >
      {held === null ? 'unknown at arrival' : `was ${money(held)} at arrival`}
      {known?.at != null && <span className="block">{age(now - Date.parse(known.at))}</span>}
    </Figure>
  )
}

/** Percent of the price's move since arrival, and its limit. */
function Move({ signal, check, quote }: Pick<Props, 'signal' | 'check' | 'quote'>) {
  const moved = movedPercent(signal, quote) ?? check?.driftPercent ?? null
  const limit = check?.driftLimitPercent ?? null
  const toLimit = check?.limitDistancePercent ?? null
  return (
    <Figure
      label={limit === null ? 'Moved since arrival' : `Moved, of ${number(limit)} % allowed`}
      value={moved === null ? '–' : percent(moved)}
    >
      {moved !== null && limit !== null && <DriftBar moved={moved} limit={limit} />}
      {toLimit !== null && (
        <span className="block">
          limit {percent(Math.abs(toLimit)).replace('+', '')} {toLimit < 0 ? 'below' : 'above'} the price
        </span>
      )}
    </Figure>
  )
}

function Cost({ signal, account, check }: Pick<Props, 'signal' | 'account' | 'check'>) {
  const order = check?.dryRun.order ?? null
  const follows = check?.dryRun.follows ?? null
  const buys = order === null ? isBuy(signal) : isBuying(order)
  const price = order?.limitPrice ?? null
  const approximately = price === null ? 'about' : buys ? 'at most' : 'at least'
  const cost = check?.cost ?? null
  const { before, after } = check?.position ?? { before: 0, after: null }
  return (
    <Figure
      label={`${buys ? 'Cost' : 'Proceeds'}, ${approximately}`}
      value={cost === null ? '–' : money(cost)}
      isWide
    >
      {check && follows && (
        <span className="block">
          {`then ${follows.side === 'SELL_SHORT' ? 'takes' : 'costs'} ${check.followingCost === null ? 'what is opened' : `about ${money(check.followingCost)}`}`}
        </span>
      )}
      {check && (
        <span className="block">
          {signal.symbol} {shares(before)} → {after === null ? '?' : shares(after)}
          {order && follows ? `: ${legsWords(order, follows).toLowerCase()}` : ' shares'}
        </span>
      )}
      {account && (
        <span className="block max-desk:hidden">
          Buying power {money(check?.buyingPower ?? account.buyingPower)}
          {account.lastSyncedAt !== null && `, as of ${marketTime(account.lastSyncedAt)}`}
        </span>
      )}
    </Figure>
  )
}

const Figure = ({
  label,
  value,
  isWide = false,
  picture,
  children,
}: {
  label: string
  value: ReactNode
  isWide?: boolean
  picture?: ReactNode
  children: ReactNode
}) => (
  <div
    className={`min-w-0 border-line px-4 py-3 desk:px-6 desk:py-4 desk:not-last:border-r ${isWide ? 'max-desk:col-span-2 max-desk:flex max-desk:flex-wrap max-desk:items-baseline max-desk:justify-between max-desk:gap-x-3 max-desk:border-t' : 'max-desk:first:border-r'}`}
  >
    <dt className="text-xs text-muted">{label}</dt>
    <dd className="text-lg font-bold wrap-anywhere">{value}</dd>
    <dd className="flex items-end justify-between gap-x-3 text-xs text-muted">
      <span className="min-w-0 grow">{children}</span>
      {picture}
    </dd>
  </div>
)

export function Plan({ signal, check, quote, now }: Omit<Props, 'account'>) {
  const opening = check && openingOf(check.dryRun)
  // An order that only reduces a position starts no exit.
  const onlyReduces = check?.dryRun.order != null && opening === null
  const protection = onlyReduces ? null : signal.protection
  const exit = onlyReduces ? null : exitSchedule(signal)
  const session = check?.dryRun.session
  const waits = session !== undefined && !session.isOpen
  const opens = check?.dryRun.order == null ? isOpening(signal.action) : opening !== null
  return (
    <ol className="grid gap-4 border-b border-line px-4 py-4 desk:px-6">
      <Step
        isNow
        what={orderOf(signal, check)}
        when={session?.isOpen ? 'regular session' : ''}
        why={waits ? `The market opens ${bothTimes(session.nextOpen, now)}` : lifetime(signal)}
      />
      {protection && (
        <Step what="Protection, once it is filled" when="" why="">
          <ExpectedLevels
            terms={protection}
            expected={expectedOf(signal, opening ?? null, (quote ?? check?.quote)?.last ?? null)}
          />
        </Step>
      )}
      {exit && (
        <Step
          what={exit.what}
          when={check?.dryRun.exitAt ? bothTimes(check.dryRun.exitAt, now) : ''}
          why={exit.when}
        />
      )}
      {!exit && !protection && opens && (
        <Step what="No exit is planned" when="" why="The position stays open until you close it." />
      )}
    </ol>
  )
}

/** The order where the heading does not state it, such as the shares of an amount. */
function orderOf(signal: Signal, check: Check | undefined): string {
  const { order, follows } = check?.dryRun ?? {}
  if (order && follows) return `${legsWords(order, follows)} after the fill`
  const isOther = signal.quantityType !== 'fixed' || isByPosition(signal)
  return order && isOther
    ? `${sideWord(order)} ${shares(order.quantity)} shares, as soon as you approve`
    : 'Sent as soon as you approve'
}

const Step = ({
  what,
  when,
  why,
  isNow = false,
  children,
}: {
  what: string
  when: string
  why: string
  isNow?: boolean
  children?: ReactNode
}) => (
  <li className="group relative grid grid-cols-[12px_1fr] gap-x-4 desk:grid-cols-[12px_1fr_auto]">
    <span className="absolute top-4 -bottom-5 left-1.25 border-l-2 border-line group-last:hidden" />
    <span
      className={`mt-1.5 size-3 rounded-full border-2 desk:mt-1 ${isNow ? 'border-accent bg-accent' : 'border-edge'}`}
    />
    <p className="font-bold wrap-anywhere">{what}</p>
    <p className={`max-desk:col-start-2 ${isNow ? 'max-desk:hidden' : ''}`}>{when}</p>
    <p className="col-start-2 text-xs text-muted empty:hidden">{why}</p>
    {children !== undefined && <div className="col-start-2 mt-2 desk:col-end-4">{children}</div>}
  </li>
)

/** Whether the desk layout applies, at the breakpoint of the styles. */
const isDesk = (): boolean => matchMedia('(min-width: 800px)').matches

interface SparklineProps {
  values: readonly number[]
  /** A level to compare with, drawn as a dashed line. */
  level: number | null
  className?: string
}

const WIDTH = 150
const HEIGHT = 44
const SPARKLINE_MARGIN = 4

/** Line of a price; the figures beside it say the same. */
function Sparkline({ values, level, className = '' }: SparklineProps) {
  if (values.length < 2) return null
  const all = level === null ? values : [...values, level]
  const low = Math.min(...all)
  const range = Math.max(...all) - low || 1
  const x = (index: number) =>
    SPARKLINE_MARGIN + (index / (values.length - 1)) * (WIDTH - 2 * SPARKLINE_MARGIN)
  const y = (value: number) =>
    SPARKLINE_MARGIN + (1 - (value - low) / range) * (HEIGHT - 2 * SPARKLINE_MARGIN)
  const points = values.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`)
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true" className={`h-11 w-37.5 ${className}`}>
      {level !== null && (
        <path
          d={`M${SPARKLINE_MARGIN} ${y(level).toFixed(1)}H${WIDTH - SPARKLINE_MARGIN}`}
          className="stroke-edge"
          strokeDasharray="2 3"
        />
      )}
      <polyline points={points.join(' ')} className="fill-none stroke-text" strokeWidth="1.6" />
      <circle cx={x(values.length - 1)} cy={y(values.at(-1) ?? 0)} r="3" className="fill-text" />
    </svg>
  )
}

/** Price between the limits that deny the signal, in percent of the price at arrival. */
function DriftBar({ moved, limit }: { moved: number; limit: number }) {
  const isBeyond = Math.abs(moved) > limit
  const place = 50 + (Math.max(-limit, Math.min(limit, moved)) / limit) * 50
  return (
    <span
      role="img"
      aria-label={`Moved ${percent(moved)}; refused beyond ${percent(limit).replace('+', '')} either way`}
      className="relative mt-3 mb-1 block h-4"
    >
      <span className="absolute inset-x-0 top-1/2 h-0.5 -translate-y-1/2 bg-line" />
      <span className="absolute top-0.5 bottom-0.5 left-0 w-0.5 bg-danger" />
      <span className="absolute top-0.5 right-0 bottom-0.5 w-0.5 bg-danger" />
      <span className="absolute top-1 bottom-1 left-1/2 w-px bg-edge" />
      <span
        className={`absolute top-1/2 size-3 -translate-x-1/2 -translate-y-1/2 rounded-full ring-2 ring-surface ${isBeyond ? 'bg-danger' : 'bg-text'}`}
        style={{ left: `${place}%` }}
      />
    </span>
  )
}
