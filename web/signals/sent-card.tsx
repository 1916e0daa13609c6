import { Link } from '@tanstack/react-router'
import { Button, buttonClass } from '../parts/button.tsx'
import { Panel } from '../parts/panel.tsx'
import { Notice, ProblemNotice } from '../parts/notice.tsx'
import type { Sending } from './sending.ts'
import { StatusChip } from './status-chip.tsx'
import { useSignal, useStoryNews } from './story-data.ts'
import { duration } from '../words/times.ts'
import { heldBecause, otherAdvisories } from '../words/standing.ts'

interface Props {
  sending: Sending
  again: () => void
  startNew: () => void
}

/** What came of a signal that was sent here, and what may be done about it. */
export function SentCard({ sending, again, startNew }: Props) {
  switch (sending.is) {
    case 'idle':
    case 'sending':
      return null
    case 'taken':
      return (
        <Panel
          title="Sent"
          aside={<span className="text-xs text-muted">answered in {duration(sending.tookMs)}</span>}
        >
          <div className="grid gap-3 p-4">
            <p role="status" className="font-bold wrap-anywhere">
              {sending.message}
            </p>
            {otherAdvisories(sending.advisories).map(({ code, message }) => (
              <p key={code} className="text-sm text-muted wrap-anywhere">
                {message}
              </p>
            ))}
            <Stands id={sending.id} told={sending.message} />
            <Ways id={sending.id} startNew={startNew} />
          </div>
        </Panel>
      )
    case 'rejected':
      return (
        <Panel title="Sent, and refused">
          <div className="grid gap-3 p-4">
            <ProblemNotice problem={sending.problem} />
            <Ways id={sending.id} startNew={startNew} />
          </div>
        </Panel>
      )
    case 'unknown':
      return (
        <Panel title="It is not known whether it was taken">
          <div className="grid gap-3 p-4">
            <div role="alert">
              <Notice kind="warn" title="No answer came">
                Send it again: under its sourceId it is the same signal, so no second order goes out.
              </Notice>
            </div>
            <Button kind="primary" onClick={again}>
              Send it again
            </Button>
          </div>
        </Panel>
      )
    case 'failed':
      return (
        <ProblemNotice
          title={
            sending.problem.faults.length > 0 ? 'It was not taken: see the marked fields' : 'It was not taken'
          }
          problem={sending.problem}
        />
      )
  }
}

/** How the signal stands, as it changes, and what holds it where the answer came before it was held. */
function Stands({ id, told }: { id: string; told: string }) {
  const { data } = useSignal(id)
  useStoryNews(id)
  if (!data) return null
  const held = data.status === 'pending' ? heldBecause(data) : null
  return (
    <>
      <p className="flex items-center gap-2">
        It stands: <StatusChip signal={data} />
      </p>
      {held !== null && !told.includes(held) && (
        <p className="text-sm text-muted wrap-anywhere">It waits for your approval. {held}</p>
      )}
    </>
  )
}

const Ways = ({ id, startNew }: { id: string | null; startNew: () => void }) => (
  <div className="flex flex-wrap gap-2">
    {id !== null && (
      <Link to="/signals/$id" params={{ id }} className={buttonClass('primary')}>
        Open its story
      </Link>
    )}
    <Button onClick={startNew}>Write another</Button>
  </div>
)
