import { useState } from 'react'
import type { Account, Routes } from '#client/types.ts'
import { ask } from '../connection/ask.ts'
import { useIsLive } from '../connection/live.ts'
import { readChanged } from '../connection/queries.ts'
import { Button } from '../parts/button.tsx'
import { useSend } from '../parts/form.tsx'
import { NotRead } from '../parts/loaded.tsx'
import { ProblemNotice } from '../parts/notice.tsx'
import { BackLink, PageHead } from '../parts/page-head.tsx'
import { Panel } from '../parts/panel.tsx'
import { useAccountList } from '../records/accounts.ts'
import { useTokenRoom } from '../records/person.ts'
import { isRealMoney } from '../words/signal.ts'
import { bodyOf, missingOf, newHookDraft, type HookDraft } from './draft.ts'
import { AccountsChoice, KindChoice, ModeChoice, NameField } from './fields.tsx'
import { Made } from './made.tsx'
import { faultsUnder } from './faults.ts'
import { MoreFields } from './more-fields.tsx'
import { TemplateFields } from './template-fields.tsx'

type Created = Routes['POST /api/v1/hooks']['answers'][201]['data']

export function NewHookPage() {
  const [created, setCreated] = useState<Created | null>(null)
  const { data: accounts } = useAccountList()
  const isLive = useIsLive()
  const hasProtection = useTokenRoom() !== 0
  return (
    <div className="max-w-180">
      <BackLink to="/set-up/hooks" name="Hooks" />
      <PageHead
        name="New hook"
        title={created === null ? 'New hook' : `Hook “${created.hook.name}” is created`}
      />
      {created !== null ? (
        <Made hook={created.hook} url={created.url} />
      ) : !hasProtection ? (
        <Panel title="No hook can be created">
          <p className="p-4">
            Your plan has no access tokens, and so no hooks. Signals can be written by hand; an administrator
            can change the plan.
          </p>
        </Panel>
      ) : accounts ? (
        <NewHook accounts={accounts} created={setCreated} />
      ) : (
        !isLive && <NotRead />
      )}
    </div>
  )
}

/** Default account: the primary one if it is a paper account, else the first paper account. */
function firstOf(accounts: readonly Account[]): HookDraft['accounts'] {
  const paper = accounts.filter((account) => account.isActive && !isRealMoney(account))
  const first = paper.find(({ isPrimary }) => isPrimary) ?? paper[0]
  return new Map(first ? [[first.id, { by: 'message', value: '' } as const]] : [])
}

function NewHook({
  accounts,
  created,
}: {
  accounts: readonly Account[]
  created: (created: Created) => void
}) {
  const isLive = useIsLive()
  const [draft, setDraft] = useState<HookDraft>(() => ({ ...newHookDraft(), accounts: firstOf(accounts) }))
  const change = (next: Partial<HookDraft>): void => setDraft((before) => ({ ...before, ...next }))
  const missing = missingOf(draft)
  const form = useSend(async () => {
    try {
      const { body } = await ask('POST /api/v1/hooks', { body: bodyOf(draft) })
      created(body.data)
    } finally {
      void readChanged('hooks')
    }
  })
  const fields = { draft, change, faultOf: faultsUnder(form.problem) }
  return (
    <Panel title="What it does">
      <form onSubmit={form.submit} noValidate className="grid gap-6 p-4">
        <KindChoice {...fields} />
        {draft.kind === 'template' && <TemplateFields {...fields} />}
        <NameField {...fields} />
        <AccountsChoice {...fields} accounts={new Map(accounts.map((account) => [account.id, account]))} />
        <ModeChoice {...fields} />
        <section aria-label="More" className="grid gap-2">
          <h3 className="font-medium">More</h3>
          <MoreFields {...fields} />
        </section>
        {form.general && <ProblemNotice problem={form.general} />}
        {form.problem?.code === 'NO_ANSWER' && (
          <p className="text-sm">
            If it was created, it is in the list of hooks. Its address was not shown, so create a new one
            there.
          </p>
        )}
        {!isLive && <p className="text-sm text-warn">Creating a hook needs a connection.</p>}
        <div className="grid gap-2">
          <Button
            type="submit"
            kind="primary"
            size="big"
            disabled={form.isBusy || !isLive || missing !== null}
            aria-describedby="make-note"
          >
            {form.isBusy ? 'One moment…' : 'Create the hook'}
          </Button>
          <p id="make-note" className="text-center text-xs text-muted empty:hidden">
            {missing}
          </p>
        </div>
      </form>
    </Panel>
  )
}
