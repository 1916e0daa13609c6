import { useState } from 'react'
import type { Hook } from '#client/types.ts'
import { ask, dataOf } from '../connection/ask.ts'
import { readChanged } from '../connection/queries.ts'
import { Button } from '../parts/button.tsx'
import { FormSheet, useSend } from '../parts/form.tsx'
import { Panel } from '../parts/panel.tsx'
import { ShownOnce } from '../parts/shown-once.tsx'

export function SigningPanel({ hook }: { hook: Hook }) {
  const [asked, setAsked] = useState<'new' | 'off' | null>(null)
  const [key, setKey] = useState<string | null>(null)
  const close = (): void => setAsked(null)
  return (
    <Panel title="Signed requests">
      <div className="grid gap-3 p-4">
        <p>
          {hook.signing
            ? 'Requests signed with its key are accepted at the address without a secret.'
            : 'For your own programs: they sign each request, so no secret is in the address.'}
        </p>
        {key !== null && (
          <ShownOnce name="Key" text={key}>
            Copy it now, to where your program keeps its secrets.
          </ShownOnce>
        )}
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => setAsked('new')}>{hook.signing ? 'New key…' : 'Create a key…'}</Button>
          {hook.signing && (
            <Button kind="danger" onClick={() => setAsked('off')}>
              Switch off…
            </Button>
          )}
        </div>
      </div>
      {asked === 'new' && <NewKey hook={hook} close={close} made={setKey} />}
      {asked === 'off' && <SwitchOff hook={hook} close={close} done={() => setKey(null)} />}
    </Panel>
  )
}

function NewKey({ hook, close, made }: { hook: Hook; close: () => void; made: (key: string) => void }) {
  const form = useSend(async () => {
    made((await dataOf('POST /api/v1/hooks/{hookId}/signing-key', { path: { hookId: hook.id } })).key)
    await readChanged('hooks')
    close()
  })
  return (
    <FormSheet close={close} title="Create a key?" verb="Make it" form={form} isQuestion>
      <p>It is shown once.{hook.signing && ' The current key ends at once.'}</p>
    </FormSheet>
  )
}

function SwitchOff({ hook, close, done }: { hook: Hook; close: () => void; done: () => void }) {
  const form = useSend(async () => {
    await ask('DELETE /api/v1/hooks/{hookId}/signing-key', { path: { hookId: hook.id } })
    await readChanged('hooks')
    done()
    close()
  })
  return (
    <FormSheet
      close={close}
      title="Stop accepting signed requests?"
      verb="Switch off"
      kind="stop"
      form={form}
      isQuestion
    >
      <p>Requests signed with the key are refused from now on. The address with a secret stays valid.</p>
    </FormSheet>
  )
}
