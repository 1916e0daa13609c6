import type { Account, Signal } from '#client/types.ts'
import type { Check } from './check.ts'
import { age, bothTimes, exitPlan, isBuy, marketTime, money, number, sentence } from './words.ts'

interface Props {
  signal: Signal
  account: Account | undefined
  now: number
  check: Check | undefined
}

/** Figures with their age. */
export function Figures({ signal, account, check, now }: Props) {
  const order = check?.dryRun.order
  const price = order?.limitPrice ?? signal.limitPrice
  const cost = order && price !== null ? order.quantity * price : null
  return (
    <dl className="grid grid-cols-2 border-b border-line desk:grid-cols-3">
      <Figure
        label="Order"
        value={order ? `${number(order.quantity)} shares` : '–'}
        note={check ? `checked ${age(now - check.at)}` : 'being checked'}
      />
      <Figure
        label={cost === null ? 'Price' : isBuy(signal) ? 'Costs at most' : 'Brings at least'}
        value={cost === null ? 'the market’s' : money(cost)}
        note={price === null ? 'not limited' : `limit ${money(price)}`}
      />
      <Figure
        label="Left to trade with"
        value={account ? money(account.buyingPower) : '–'}
        note={account?.lastSyncedAt ? `as of ${marketTime(account.lastSyncedAt)}` : ''}
      />
    </dl>
  )
}

const Figure = ({ label, value, note }: { label: string; value: string; note: string }) => (
  <div className="min-w-0 border-line px-4 py-3 max-desk:first:border-r max-desk:last:col-span-2 max-desk:last:flex max-desk:last:flex-wrap max-desk:last:items-baseline max-desk:last:justify-between max-desk:last:gap-x-3 max-desk:last:border-t desk:px-6 desk:py-4 desk:not-last:border-r">
    <dt className="text-xs text-muted">{label}</dt>
    <dd className="text-lg font-bold wrap-anywhere">{value}</dd>
    <dd className="text-xs text-muted">{note}</dd>
  </div>
)

/** What is sent now, and when it is closed again. */
export function Plan({ signal, check, now }: { signal: Signal; check: Check | undefined; now: number }) {
  const exit = exitPlan(signal)
  const session = check?.dryRun.session
  const opens =
    session && !session.isOpen ? `market opens ${bothTimes(session.nextOpen, now)}` : 'as soon as you approve'
  const isOpening = signal.action === 'openLong' || signal.action === 'openShort'
  return (
    <ol className="grid gap-4 border-b border-line px-4 py-4 desk:px-6">
      <Step isNow what={sentence(signal)} when={session?.isOpen ? 'regular session' : ''} why={opens} />
      {exit && (
        <Step
          what={exit.what}
          when={check?.dryRun.exitAt ? bothTimes(check.dryRun.exitAt, now) : ''}
          why={exit.when}
        />
      )}
      {!exit && isOpening && (
        <Step what="No exit is planned" when="" why="The position stays until somebody closes it." />
      )}
    </ol>
  )
}

const Step = ({
  what,
  when,
  why,
  isNow = false,
}: {
  what: string
  when: string
  why: string
  isNow?: boolean
}) => (
  <li className="group relative grid grid-cols-[12px_1fr] gap-x-4 desk:grid-cols-[12px_1fr_auto]">
    <span className="absolute top-4 -bottom-5 left-1.25 border-l-2 border-line group-last:hidden" />
    <span
      className={`mt-1.5 size-3 rounded-full border-2 desk:mt-1 ${isNow ? 'border-accent bg-accent' : 'border-edge'}`}
    />
    <p className="font-bold wrap-anywhere">{what}</p>
    <p className="max-desk:col-start-2">{when}</p>
    <p className="col-start-2 text-xs text-muted">{why}</p>
  </li>
)
