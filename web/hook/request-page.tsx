import { getRouteApi, Link } from '@tanstack/react-router'
import type { Hook, WholeHookRequest } from '#client/types.ts'
import { AccountName } from '../parts/account.tsx'
import { Fact, Facts } from '../parts/facts.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Notice, Warning } from '../parts/notice.tsx'
import { Panel } from '../parts/panel.tsx'
import { useNow } from '../parts/time.ts'
import { verb } from '../words/signal.ts'
import { age, bothTimes, duration } from '../words/times.ts'
import { useRequest } from './data.ts'
import { FaultList } from './fault-list.tsx'
import { HookFrame } from './frame.tsx'
import { OutcomeChip } from './outcome-chip.tsx'
import { VIA, whyNoOrder } from './outcomes.ts'
import { Resend } from './resend.tsx'
import { signalWords } from './signal-links.tsx'

const route = getRouteApi('/gate/shell/set-up/hooks/$hook/requests/$request')

export function RequestRoute() {
  const { hook: id, request } = route.useParams()
  return (
    <HookFrame id={id} isBelow>
      {(hook) => <RequestPage key={request} hook={hook} id={request} />}
    </HookFrame>
  )
}

function RequestPage({ hook, id }: { hook: Hook; id: string }) {
  const query = useRequest(hook.id, id)
  return (
    <Loaded query={query} name="The request">
      {(request) => (
        <div className="grid items-start gap-4 wide:grid-cols-2">
          <Outcome request={request} />
          <Resend key={request.id} hook={hook} request={request} />
        </div>
      )}
    </Loaded>
  )
}

function Outcome({ request }: { request: WholeHookRequest }) {
  const now = useNow()
  const { outcome, message, faults, advisories, signals } = request
  const why = whyNoOrder(request)
  return (
    <Panel title="Outcome" aside={<OutcomeChip outcome={outcome} />}>
      <div className="grid gap-3 p-4" aria-live="polite">
        {outcome === null && <p className="text-muted">It is stored and being processed.</p>}
        {faults.length > 0 ? (
          <Notice
            kind="danger"
            title={faults.length === 1 ? 'It was refused' : `Refused: ${faults.length} faults`}
          >
            <FaultList faults={faults} />
          </Notice>
        ) : why !== null ? (
          <Notice
            kind={outcome === 'refused' ? 'danger' : outcome === 'late' ? 'warn' : 'info'}
            title="Why no order"
          >
            {why}
          </Notice>
        ) : (
          message !== null && <p className="font-bold wrap-anywhere">{message}</p>
        )}
        {signals.length > 0 && (
          <ul aria-label="For each account" className="overflow-clip rounded-card border border-line">
            {signals.map((signal) => (
              <li key={signal.id} className="border-line not-last:border-b">
                <Link
                  to="/signals/$id"
                  params={{ id: signal.id }}
                  className="grid min-h-11 content-center px-3 py-2 hover:bg-sunken"
                >
                  <span className="wrap-anywhere">
                    <b className="font-medium underline decoration-line underline-offset-4">
                      {verb(signal)} {signal.symbol}
                    </b>{' '}
                    · <AccountName id={signal.accountId} />
                  </span>
                  <span className="text-sm text-muted wrap-anywhere">
                    {signalWords(signal)}
                    {signal.statusDetail !== null && `: ${signal.statusDetail}`}
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        )}
        {advisories.map((advisory) => (
          <Warning key={advisory.code + advisory.message}>{advisory.message}</Warning>
        ))}
      </div>
      <div className="border-t border-line">
        <Received request={request} now={now} />
      </div>
    </Panel>
  )
}

const Received = ({ request, now }: { request: WholeHookRequest; now: number }) => {
  const { receivedAt, finishedAt, via, ip, bytes, status } = request
  return (
    <Facts>
      <Fact name="Received">
        {bothTimes(receivedAt, now)}
        <span className="block text-xs text-muted">{age(now - Date.parse(receivedAt))}</span>
      </Fact>
      <Fact name="From">{VIA[via] ?? ip}</Fact>
      <Fact name="Size">{bytes} bytes</Fact>
      <Fact name="Answered">
        {status === null ? 'not' : status}
        {finishedAt !== null && ` after ${duration(Date.parse(finishedAt) - Date.parse(receivedAt))}`}
      </Fact>
    </Facts>
  )
}
