import { useState } from 'react'
import type { Hook, HookSecret } from '#client/types.ts'
import { ask, dataOf } from '../connection/ask.ts'
import { readChanged } from '../connection/queries.ts'
import { Button } from '../parts/button.tsx'
import { FormSheet, useSend } from '../parts/form.tsx'
import { Panel } from '../parts/panel.tsx'
import { useNow } from '../parts/time.ts'
import { age, timeLeft } from '../words/times.ts'
import { ShownAddress } from './shown-address.tsx'

export function SecretsPanel({ hook }: { hook: Hook }) {
  const now = useNow()
  const [asked, setAsked] = useState<'new' | HookSecret | null>(null)
  const [url, setUrl] = useState<string | null>(null)
  const close = (): void => setAsked(null)
  return (
    <Panel title="Addresses">
      <div className="grid gap-3 p-4">
        {url !== null && <ShownAddress url={url} />}
        {hook.secrets.length === 0 && (
          <p className="text-warn">
            It has no valid address: it receives nothing until you create a new one.
          </p>
        )}
        <ul className="grid gap-3">
          {hook.secrets.map((secret, at) => (
            <li key={secret.id} className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <span className="min-w-0 grow">
                <span className="block font-medium">
                  {secret.endsAt === null
                    ? at === 0 && hook.secrets.length > 1
                      ? 'The new address'
                      : 'The address'
                    : `The previous address, valid for ${timeLeft(Date.parse(secret.endsAt) - now)} more`}
                </span>
                <span className="block text-xs text-muted">
                  made {age(now - Date.parse(secret.createdAt))},{' '}
                  {secret.lastUsedAt === null
                    ? 'never used'
                    : `last used ${age(now - Date.parse(secret.lastUsedAt))}`}
                </span>
              </span>
              <Button kind="danger" onClick={() => setAsked(secret)}>
                End it…
              </Button>
            </li>
          ))}
        </ul>
        <Button className="justify-self-start" onClick={() => setAsked('new')}>
          New address…
        </Button>
      </div>
      {asked === 'new' && <NewAddress hook={hook} close={close} made={setUrl} />}
      {asked !== null && asked !== 'new' && <End hook={hook} secret={asked} close={close} />}
    </Panel>
  )
}

interface NewProps {
  hook: Hook
  close: () => void
  made: (url: string) => void
}

function NewAddress({ hook, close, made }: NewProps) {
  const form = useSend(async () => {
    const { url } = await dataOf('POST /api/v1/hooks/{hookId}/secrets', { path: { hookId: hook.id } })
    made(url)
    await readChanged('hooks')
    close()
  })
  return (
    <FormSheet close={close} title="Create a new address?" verb="Make it" form={form} isQuestion>
      <p>
        It is shown once. The current address stays valid for an hour, so that you can update the alert; older
        ones end at once.
      </p>
    </FormSheet>
  )
}

function End({ hook, secret, close }: { hook: Hook; secret: HookSecret; close: () => void }) {
  const form = useSend(async () => {
    await ask('DELETE /api/v1/hooks/{hookId}/secrets/{secretId}', {
      path: { hookId: hook.id, secretId: secret.id },
    })
    await readChanged('hooks')
    close()
  })
  return (
    <FormSheet close={close} title="End this address?" verb="End it" kind="stop" form={form} isQuestion>
      <p>
        Its requests are refused from now on.
        {hook.secrets.length === 1 &&
          ' It is the only one: the hook receives nothing until you create a new address.'}{' '}
        It cannot be undone.
      </p>
    </FormSheet>
  )
}
