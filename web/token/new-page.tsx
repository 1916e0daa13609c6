import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { Routes } from '#client/types.ts'
import { ask } from '../connection/ask.ts'
import { serviceNow } from '../connection/clock.ts'
import { useIsLive } from '../connection/live.ts'
import { Button, buttonClass } from '../parts/button.tsx'
import { Field, Select, FaultsOfForm } from '../parts/field.tsx'
import { textOf, useSend } from '../parts/form.tsx'
import { ProblemNotice } from '../parts/notice.tsx'
import { PageHead, BackLink } from '../parts/page-head.tsx'
import { useMe, useTokens } from '../records/person.ts'
import { Panel } from '../parts/panel.tsx'
import { ShownOnce } from '../parts/shown-once.tsx'
import { Segmented } from '../parts/segmented.tsx'
import { useAccounts } from '../records/accounts.ts'
import { BoundsFields } from './bounds-fields.tsx'
import { boundsOf, boundsWords, NO_BOUNDS, type BoundsDraft } from './bounds.ts'
import { Webhook } from './webhook-panel.tsx'
import {
  ALL_SCOPES,
  dayWords,
  endOf,
  roomWords,
  VALIDITIES,
  PURPOSES,
  purposeOf,
  scopeWords,
  SCOPES,
  type Validity,
  type Purpose,
  type Scope,
} from './words.ts'
import { readChanged } from '../connection/queries.ts'
import { Checkbox, Grant } from '../parts/checkbox.tsx'

type Created = Routes['POST /api/v1/tokens']['answers'][201]['data']

const PURPOSE_NAMES = Object.fromEntries(
  Object.entries(PURPOSES).map(([purpose, { name }]) => [purpose, name]),
) as Record<Purpose, string>

export function NewTokenPage() {
  const [created, setCreated] = useState<Created | null>(null)
  const { data: me } = useMe()
  const { data: tokens } = useTokens()
  const refusal = me && tokens ? roomWords(me.plan, tokens) : null
  return (
    <div className="max-w-180">
      <BackLink to="/set-up/tokens" name="Access tokens" />
      <PageHead name="New token" />
      {created === null ? (
        refusal === null ? (
          <NewToken created={setCreated} />
        ) : (
          <Panel title="No token can be created">
            <p className="p-4">{refusal}</p>
          </Panel>
        )
      ) : (
        <Shown token={created} />
      )}
    </div>
  )
}

function NewToken({ created }: { created: (token: Created) => void }) {
  const isLive = useIsLive()
  const [scopes, setScopes] = useState<ReadonlySet<Scope>>(new Set(PURPOSES.signals.scopes))
  const [lifetime, setLifetime] = useState<Validity>('year')
  const [bound, setBound] = useState<BoundsDraft>(NO_BOUNDS)
  const accounts = useAccounts()
  const form = useSend(async (data) => {
    try {
      const expiresAt = endOf(lifetime, serviceNow())
      const bounds = boundsOf(bound)
      const { body } = await ask('POST /api/v1/tokens', {
        body: {
          label: textOf(data, 'label').trim(),
          scopes: ALL_SCOPES.filter((scope) => scopes.has(scope)),
          ...(expiresAt !== undefined && { expiresAt }),
          ...(bounds !== undefined && { bounds }),
          mergesRepeats: data.get('mergesRepeats') === 'on',
        },
      })
      created(body.data)
    } finally {
      void readChanged('tokens')
    }
  })
  const toggle = (scope: Scope): void => {
    const next = new Set(scopes)
    if (!next.delete(scope)) next.add(scope)
    setScopes(next)
  }
  return (
    <Panel title="What it is for">
      <form onSubmit={form.submit} noValidate className="grid gap-5 p-4">
        <FaultsOfForm value={form.faultOf}>
          <Field
            label="Name"
            name="label"
            hint="Such as “TradingView”; shown as the sender of its signals"
            autoComplete="off"
            maxLength={100}
            required
          />
        </FaultsOfForm>
        <fieldset className="grid gap-3">
          <legend className="mb-1 font-medium">It may</legend>
          <Segmented
            legend="Purpose"
            options={PURPOSE_NAMES}
            value={purposeOf(scopes)}
            choose={(purpose) => setScopes(new Set(PURPOSES[purpose].scopes))}
          />
          <ul className="rounded-card border border-line">
            {ALL_SCOPES.map((scope) => (
              <Grant
                key={scope}
                {...SCOPES[scope]}
                isChosen={scopes.has(scope)}
                choose={() => toggle(scope)}
              />
            ))}
          </ul>
          <p className="text-xs text-danger empty:hidden">{form.faultOf('scopes')}</p>
        </fieldset>
        <BoundsFields draft={bound} change={setBound} accounts={accounts} problem={form.problem} />
        <Checkbox name="mergesRepeats" className="min-h-11 items-start gap-3 [&>input]:mt-1">
          <span>
            <span className="font-medium">Equal messages within 30 seconds are one signal</span>{' '}
            <span className="text-muted">
              For senders that repeat unanswered messages and give no sourceId. Two identical trades then
              count as one, too
            </span>
          </span>
        </Checkbox>
        <Select
          label="Valid for"
          value={lifetime}
          options={Object.entries(VALIDITIES) as [Validity, string][]}
          choose={setLifetime}
          className="desk:w-60"
        />
        <p className="text-xs text-danger empty:hidden">{form.faultOf('expiresAt')}</p>
        {form.general && (
          <ProblemNotice
            problem={form.general}
            {...(form.general.faults[0] && { title: form.general.faults[0].message })}
          />
        )}
        {form.problem?.code === 'NO_ANSWER' && (
          <p className="text-sm">
            If it was created, it is in the list of tokens. Its text was not shown, so revoke it there.
          </p>
        )}
        {!isLive && <p className="text-sm text-warn">Creating a token needs a connection.</p>}
        <Button
          type="submit"
          kind="primary"
          size="big"
          disabled={form.isBusy || !isLive || scopes.size === 0}
        >
          {form.isBusy ? 'One moment…' : 'Create the token'}
        </Button>
      </form>
    </Panel>
  )
}

/** The token's text, which the service does not keep. */
function Shown({ token }: { token: Created }) {
  const heading = useRef<HTMLDivElement>(null)
  const bounds = boundsWords(token.bounds, useAccounts())
  useEffect(() => heading.current?.focus(), [])
  return (
    <div className="grid gap-4">
      <div ref={heading} tabIndex={-1} className="outline-none">
        <Panel title={<span className="wrap-anywhere">Token “{token.label}”</span>}>
          <div className="grid gap-3 p-4">
            <ShownOnce name="Token" text={token.token}>
              Copy it now, to where you keep passwords. The service keeps no copy: if it is lost, revoke it
              and create another.
            </ShownOnce>
            <p className="text-sm text-muted">
              It may {scopeWords(token.scopes)}, until {dayWords(token.expiresAt)}.
              {bounds.length > 0 && ` Limits: ${bounds.join('; ')}.`}
            </p>
          </div>
        </Panel>
      </div>
      {token.scopes.includes('signals:write') && <Webhook token={token.token} />}
      <Link to="/set-up/tokens" className={`${buttonClass('plain', 'big')} justify-self-start`}>
        I have copied it
      </Link>
    </div>
  )
}
