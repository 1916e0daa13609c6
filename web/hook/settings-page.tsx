import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import type { Hook } from '#client/types.ts'
import { dataOf } from '../connection/ask.ts'
import { useIsLive } from '../connection/live.ts'
import { readChanged } from '../connection/queries.ts'
import { Button } from '../parts/button.tsx'
import { useSend } from '../parts/form.tsx'
import { Notice, ProblemNotice } from '../parts/notice.tsx'
import { Panel } from '../parts/panel.tsx'
import { useAccountList } from '../records/accounts.ts'
import { changeOf, draftOf, missingOf, type HookDraft } from './draft.ts'
import { faultsUnder } from './faults.ts'
import { AccountsChoice, ModeChoice, NameField } from './fields.tsx'
import { HookFrame } from './frame.tsx'
import { LivePanel } from './live-panel.tsx'
import { MoreFields } from './more-fields.tsx'
import { RevokePanel } from './revoke.tsx'
import { SecretsPanel } from './secrets-panel.tsx'
import { SigningPanel } from './signing-panel.tsx'
import { TemplateFields } from './template-fields.tsx'

const route = getRouteApi('/gate/shell/set-up/hooks/$hook/settings')

export function HookSettingsRoute() {
  const { hook: id } = route.useParams()
  return (
    <HookFrame id={id}>
      {(hook) => (
        <div className="grid items-start gap-4 wide:grid-cols-[minmax(0,720px)_minmax(320px,1fr)]">
          <Change key={hook.id} hook={hook} />
          <div className="grid min-w-0 gap-4">
            <LivePanel hook={hook} />
            <SecretsPanel hook={hook} />
            <SigningPanel hook={hook} />
            <RevokePanel hook={hook} />
          </div>
        </div>
      )}
    </HookFrame>
  )
}

function Change({ hook }: { hook: Hook }) {
  const isLive = useIsLive()
  const { data: accounts = [] } = useAccountList()
  const [draft, setDraft] = useState<HookDraft>(() => draftOf(hook))
  const [isSaved, setSaved] = useState(false)
  const change = (next: Partial<HookDraft>): void => {
    setDraft((before) => ({ ...before, ...next }))
    setSaved(false)
  }
  const form = useSend(async () => {
    const saved = await dataOf('PATCH /api/v1/hooks/{hookId}', {
      path: { hookId: hook.id },
      body: changeOf(draft),
    })
    await readChanged('hooks')
    setDraft(draftOf(saved.hook))
    setSaved(true)
  })
  const missing = missingOf(draft)
  const isChanged = JSON.stringify(changeOf(draft)) !== JSON.stringify(changeOf(draftOf(hook)))
  const fields = { draft, change, faultOf: faultsUnder(form.problem) }
  return (
    <Panel title="What it does">
      <form onSubmit={form.submit} noValidate className="grid gap-6 p-4">
        <NameField {...fields} />
        {draft.kind === 'template' && <TemplateFields {...fields} />}
        <AccountsChoice {...fields} accounts={new Map(accounts.map((account) => [account.id, account]))} />
        <ModeChoice {...fields} />
        <section aria-label="More" className="grid gap-2">
          <h3 className="font-medium">More</h3>
          <MoreFields {...fields} />
        </section>
        {form.general && <ProblemNotice problem={form.general} />}
        <div role="status" className="empty:hidden">
          {isSaved && !isChanged && <Notice kind="info" title="Saved: applies from the next request" />}
        </div>
        <div className="grid gap-2">
          <Button
            type="submit"
            kind="primary"
            size="big"
            disabled={form.isBusy || !isLive || missing !== null || !isChanged}
            aria-describedby="save-note"
          >
            {form.isBusy ? 'One moment…' : 'Save'}
          </Button>
          <p id="save-note" className="text-center text-xs text-muted empty:hidden">
            {!isLive ? 'Changes need a connection.' : (missing ?? (isChanged ? '' : 'No changes'))}
          </p>
        </div>
      </form>
    </Panel>
  )
}
