import { Link } from '@tanstack/react-router'
import { RotateCcw } from 'lucide-react'
import { useState } from 'react'
import type { Signal, SignalDetail } from '#client/types.ts'
import { mayBeWithdrawn, mayCancelExit } from '#domain/signal/signal.ts'
import { useSend, FormSheet } from '../parts/form.tsx'
import { headline } from '../words/signal.ts'
import { dataOf } from '../connection/ask.ts'
import { useIsLive } from '../connection/live.ts'
import { confirmed } from '../connection/problem.ts'
import { Button, buttonClass } from '../parts/button.tsx'
import { WorkflowLink } from '../parts/workflow-link.tsx'
import { isAllClosed } from './result.ts'
import { useTakeOver } from './story-data.ts'

export function StoryActions({ signal }: { signal: SignalDetail }) {
  return (
    <div className="flex flex-wrap gap-2">
      <Link to="/signals/new" search={{ from: signal.id }} className={buttonClass()}>
        <RotateCcw aria-hidden="true" className="size-4" /> Send again on paper
      </Link>
      <WorkflowLink workflow={signal.workflow} name="Workflow in Temporal" />
      <Asked
        isPossible={mayBeWithdrawn(signal.status)}
        name="Withdraw…"
        title={`Withdraw “${headline(signal)}”?`}
        effect="No order is sent. Its sourceId may then be used again."
        confirm="Withdraw it"
        send={async () => confirmed(await dataOf('DELETE /api/v1/signals/{id}', { path: { id: signal.id } }))}
      />
      <Asked
        isPossible={mayCancelExit(signal.status, signal.exit?.status ?? null) && !isAllClosed(signal)}
        name="Cancel exit…"
        title="Cancel the exit?"
        effect={`The position in ${signal.symbol} stays open until you close it.`}
        confirm="Cancel the exit"
        send={async () =>
          confirmed(await dataOf('DELETE /api/v1/signals/{id}/exit', { path: { id: signal.id } }))
        }
      />
    </div>
  )
}

interface AskedProps {
  /** An open question remains, and shows the answer of the service. */
  isPossible: boolean
  name: string
  title: string
  effect: string
  confirm: string
  send: () => Promise<Signal>
}

/** A repeated action has one effect, so it may be sent again after silence. */
function Asked({ isPossible, name, title, effect, confirm, send }: AskedProps) {
  const [isOpen, setOpen] = useState(false)
  const isLive = useIsLive()
  const takeOver = useTakeOver()
  const form = useSend(async () => {
    const after = await send()
    setOpen(false)
    takeOver(after)
  })
  return (
    <>
      {isPossible && (
        <Button kind="danger" disabled={!isLive} onClick={() => setOpen(true)}>
          {name}
        </Button>
      )}
      {isOpen && (
        <FormSheet
          close={() => setOpen(false)}
          title={title}
          verb={confirm}
          kind="stop"
          form={form}
          isQuestion
        >
          <p className="text-muted">{effect}</p>
        </FormSheet>
      )}
    </>
  )
}
