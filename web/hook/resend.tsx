import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Hook, WholeHookRequest } from '#client/types.ts'
import { dataOf } from '../connection/ask.ts'
import { useIsLive } from '../connection/live.ts'
import { asProblem } from '../connection/problem.ts'
import { readChanged } from '../connection/queries.ts'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { TextArea } from '../parts/field.tsx'
import { FormSheet, useSend } from '../parts/form.tsx'
import { ProblemNotice } from '../parts/notice.tsx'
import { Panel } from '../parts/panel.tsx'
import { TrialResult } from './trial-result.tsx'

export function Resend({ hook, request }: { hook: Hook; request: WholeHookRequest }) {
  const isLive = useIsLive()
  const [body, setBody] = useState(request.body)
  const [isAsking, setAsking] = useState(false)
  const isCorrected = body !== request.body
  const trial = useMutation({
    mutationFn: (text: string) =>
      dataOf('POST /api/v1/hooks/{hookId}/try', { path: { hookId: hook.id }, body: { body: text } }),
  })
  const change = (text: string): void => {
    setBody(text)
    trial.reset()
  }
  return (
    <Panel title="Body" aside={<CopyButton text={body} what="the body" />}>
      <div className="grid gap-3 p-4">
        <TextArea
          label={isCorrected ? 'Corrected' : 'As received, without keys and secrets'}
          rows={Math.min(16, Math.max(5, body.split('\n').length + 1))}
          value={body}
          onChange={({ target }) => change(target.value)}
          maxLength={16_384}
        />
        <div className="flex flex-wrap gap-2">
          <Button disabled={!isLive || trial.isPending || body === ''} onClick={() => trial.mutate(body)}>
            {trial.isPending ? 'One moment…' : 'Try it'}
          </Button>
          <Button kind="primary" disabled={!isLive || body === ''} onClick={() => setAsking(true)}>
            {isCorrected ? 'Send it corrected…' : 'Send it again…'}
          </Button>
          {isCorrected && <Button onClick={() => change(request.body)}>As received</Button>}
        </div>
        <div aria-live="polite" className="empty:hidden">
          {trial.isError && <ProblemNotice title="It could not be tried" problem={asProblem(trial.error)} />}
          {trial.data && <TrialResult trial={trial.data} />}
        </div>
      </div>
      {isAsking && (
        <Ask hook={hook} request={request} body={isCorrected ? body : null} close={() => setAsking(false)} />
      )}
    </Panel>
  )
}

interface AskProps {
  hook: Hook
  request: WholeHookRequest
  /** Corrected body; null for the received one. */
  body: string | null
  close: () => void
}

function Ask({ hook, request, body, close }: AskProps) {
  const navigate = useNavigate()
  const form = useSend(async () => {
    const { request: made } = await dataOf('POST /api/v1/hooks/{hookId}/requests/{requestId}/again', {
      path: { hookId: hook.id, requestId: request.id },
      body: body === null ? {} : { body },
    })
    await readChanged('hooks')
    close()
    await navigate({
      to: '/set-up/hooks/$hook/requests/$request',
      params: { hook: hook.id, request: made.id },
    })
  })
  return (
    <FormSheet
      close={close}
      title={body === null ? 'Send it again?' : 'Send it corrected?'}
      verb="Send it"
      form={form}
      isReal={hook.live}
      isQuestion
    >
      <p>
        It counts as a new alert, whether the first one placed orders or not: orders follow
        {hook.executeMode === 'pending' ? ' once you approve them' : ' at once'}
        {hook.live && ', also with real money'}.
      </p>
      {request.signals.length > 0 && (
        <p className="text-warn">It created signals the first time: they stay, and new ones are added.</p>
      )}
    </FormSheet>
  )
}
