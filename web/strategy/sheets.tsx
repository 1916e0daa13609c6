import type { Strategy } from '#client/types.ts'
import { ask } from '../connection/ask.ts'
import { Field, SelectField } from '../parts/field.tsx'
import { textOf, useSend, FormSheet } from '../parts/form.tsx'
import { useAccounts } from '../records/accounts.ts'
import { readChanged } from '../connection/queries.ts'

interface Props {
  close: () => void
  done: (message: string) => void
}

const termsOf = (form: FormData) => ({
  name: textOf(form, 'name').trim(),
  description: textOf(form, 'description').trim() || null,
  defaultAccountId: textOf(form, 'defaultAccountId') || null,
})

export function Create({ close, done }: Props) {
  const form = useSend(async (data) => {
    const { body } = await ask('POST /api/v1/strategies', { body: termsOf(data) })
    await readChanged('strategies')
    done(`${body.data.name} is created. Signals name it by its id`)
  })
  return (
    <FormSheet close={close} title="New strategy" verb="Make it" form={form}>
      <Fields />
    </FormSheet>
  )
}

export function Edit({ strategy, close, done }: Props & { strategy: Strategy }) {
  const form = useSend(async (data) => {
    const { body } = await ask('PATCH /api/v1/strategies/{strategyId}', {
      path: { strategyId: strategy.id },
      body: termsOf(data),
    })
    await readChanged('strategies')
    done(`${body.data.name} is changed`)
  })
  return (
    <FormSheet close={close} title={`Change ${strategy.name}`} verb="Change it" form={form}>
      <Fields strategy={strategy} />
    </FormSheet>
  )
}

function Fields({ strategy }: { strategy?: Strategy }) {
  const accounts = useAccounts()
  return (
    <>
      <Field
        label="Name"
        name="name"
        defaultValue={strategy?.name}
        autoComplete="off"
        maxLength={100}
        required
        hint="Its id stays the same, so that signals need no change"
      />
      <Field
        label="Description (optional)"
        name="description"
        defaultValue={strategy?.description ?? ''}
        autoComplete="off"
        maxLength={2_000}
      />
      <SelectField
        label="Default account in forms"
        name="defaultAccountId"
        defaultValue={strategy?.defaultAccountId ?? ''}
        options={{
          '': 'none',
          ...Object.fromEntries([...accounts.values()].map(({ id, name }) => [id, name])),
        }}
        hint="Signals always name their own"
      />
    </>
  )
}

export function PauseOrResume({ strategy, close, done }: Props & { strategy: Strategy }) {
  const isPaused = strategy.status === 'paused'
  const form = useSend(async () => {
    await ask('PATCH /api/v1/strategies/{strategyId}', {
      path: { strategyId: strategy.id },
      body: { status: isPaused ? 'active' : 'paused' },
    })
    await readChanged('strategies')
    done(
      isPaused ? `${strategy.name} runs again` : `${strategy.name} is paused. Closing signals are still sent`,
    )
  })
  return isPaused ? (
    <FormSheet close={close} title={`Resume ${strategy.name}?`} verb="Resume it" form={form} isQuestion>
      <p className="text-muted">
        Its signals may open positions again, including waiting ones that have not expired. Signals refused
        during the pause are not sent later.
      </p>
    </FormSheet>
  ) : (
    <FormSheet close={close} title={`Pause ${strategy.name}?`} verb="Pause it" form={form} isQuestion>
      <ul className="grid list-disc gap-1 pl-5">
        <li>New signals that open positions are refused.</li>
        <li>Waiting signals are refused at their time or when you approve them.</li>
        <li>
          <b className="font-bold">Closing signals are still sent.</b>
        </li>
        <li>Open orders and planned exits continue.</li>
      </ul>
    </FormSheet>
  )
}

export function Delete({ strategy, close, done }: Props & { strategy: Strategy }) {
  const form = useSend(async () => {
    const { body } = await ask('DELETE /api/v1/strategies/{strategyId}', {
      path: { strategyId: strategy.id },
    })
    await readChanged('strategies')
    done(body.data.message)
  })
  return (
    <FormSheet
      close={close}
      title={`Delete ${strategy.name}?`}
      verb="Delete it"
      kind="stop"
      form={form}
      isQuestion
    >
      <p>
        Signals that name it are refused from then on, including closing ones: to stop only openings, pause
        it. Past signals and trades keep it, planned exits continue, and its name is free again. This cannot
        be undone.
      </p>
    </FormSheet>
  )
}
