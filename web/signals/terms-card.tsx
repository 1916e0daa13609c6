import type { Account, SignalDetail } from '#client/types.ts'
import { money, number } from '../words/figures.ts'
import { lifetime, priceTerms } from '../words/signal.ts'
import { Fact, Facts } from '../parts/facts.tsx'
import { Panel } from '../parts/panel.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { MODE_NAMES } from '../words/standing.ts'
import { bothTimes } from '../words/times.ts'

interface Props {
  signal: SignalDetail
  account: Account | undefined
  strategy: string | undefined
  now: number
}

/** What was asked for, by whom, and what it is called. */
export const TermsCard = ({ signal, account, strategy, now }: Props) => (
  <Panel title="Terms">
    <Facts>
      <Fact name="Account">{account?.name ?? 'unknown account'}</Fact>
      {signal.strategyId !== null && <Fact name="Strategy">{strategy ?? 'unknown strategy'}</Fact>}
      {signal.targetPosition !== null && (
        <Fact name="Target">
          {number(signal.targetPosition)} {signal.symbol}
        </Fact>
      )}
      {signal.continues !== null && (
        <Fact name="Goes on from">
          <span className="font-mono text-xs">{signal.continues}</span>
        </Fact>
      )}
      <Fact name="Order">
        {priceTerms(signal)}, {lifetime(signal)}
        {signal.extendedHours && ', outside the session too'}
      </Fact>
      <Fact name="Sent">{MODE_NAMES[signal.executeMode]}</Fact>
      {signal.sentBy !== null && <Fact name="Sent by">{signal.sentBy}</Fact>}
      {signal.heldPrice !== null && <Fact name="Price at arrival">{money(signal.heldPrice)}</Fact>}
      {signal.validUntil !== null && <Fact name="Valid until">{bothTimes(signal.validUntil, now)}</Fact>}
      {signal.expiresAt !== null && <Fact name="Order ends">{bothTimes(signal.expiresAt, now)}</Fact>}
      {signal.sourceId !== null && <Fact name="sourceId">{signal.sourceId}</Fact>}
      <Fact name="Signal">
        <span className="font-mono text-xs">{signal.id}</span>
      </Fact>
    </Facts>
    <div className="flex justify-end px-4 pb-4">
      <CopyButton text={signal.id} what="the signal’s id" />
    </div>
    {Object.keys(signal.metadata ?? {}).length > 0 && <Metadata metadata={signal.metadata ?? {}} />}
  </Panel>
)

/** What the sender wrote along: shown as text, never as anything else. */
const Metadata = ({ metadata }: { metadata: Record<string, unknown> }) => (
  <div className="border-t border-line">
    <h3 className="px-4 pt-3 text-xs text-muted">Sent along</h3>
    <Facts>
      {Object.entries(metadata).map(([name, value]) => (
        <Fact key={name} name={name}>
          {typeof value === 'string' ? value : JSON.stringify(value)}
        </Fact>
      ))}
    </Facts>
  </div>
)
