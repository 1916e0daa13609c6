import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Hook } from '#client/types.ts'
import { ask } from '../connection/ask.ts'
import { queries } from '../connection/queries.ts'
import { Button } from '../parts/button.tsx'
import { Checkbox } from '../parts/checkbox.tsx'
import { FormSheet, useSend } from '../parts/form.tsx'
import { Panel } from '../parts/panel.tsx'

export function RevokePanel({ hook }: { hook: Hook }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <Panel title="Revoke">
      <div className="grid gap-3 p-4">
        <p>
          A revoked hook accepts no requests and is removed from the list with its inbox. Its signals stay.
        </p>
        <Button kind="danger" className="justify-self-start" onClick={() => setAsking(true)}>
          Revoke…
        </Button>
      </div>
      {isAsking && <Revoke hook={hook} close={() => setAsking(false)} />}
    </Panel>
  )
}

function Revoke({ hook, close }: { hook: Hook; close: () => void }) {
  const navigate = useNavigate()
  const waiting = hook.waitingSignals
  const form = useSend(async (data) => {
    const signals = data.get('keep') === 'on' ? 'keep' : 'withdraw'
    await ask('DELETE /api/v1/hooks/{hookId}', { path: { hookId: hook.id }, query: { signals } })
    close()
    await navigate({ to: '/set-up/hooks' })
    await queries.invalidateQueries({ queryKey: ['hooks', 'list'] })
  })
  return (
    <FormSheet
      close={close}
      title={`Revoke ${hook.name}?`}
      verb="Revoke it"
      kind="stop"
      form={form}
      isQuestion
    >
      <p>
        Its requests are refused from now on. Orders and exits of its signals continue. This cannot be undone.
      </p>
      {waiting > 0 && (
        <>
          <p>
            {waiting === 1 ? '1 of its signals waits' : `${waiting} of its signals wait`} and will be
            withdrawn.
          </p>
          <Checkbox name="keep" className="flex gap-3">
            <span>
              Keep them on record
              <span className="block text-xs text-muted">
                You can approve pending ones. Without your approval none of them opens a position; those that
                close one are sent at their time.
              </span>
            </span>
          </Checkbox>
        </>
      )}
    </FormSheet>
  )
}
