import type { BrokerConnection, BrokerType } from '#client/types.ts'
import { ask } from '../connection/ask.ts'
import { ActingFor } from '../parts/acting-for.tsx'
import { Field } from '../parts/field.tsx'
import { textOf, useSend, FormSheet } from '../parts/form.tsx'
import { Notice } from '../parts/notice.tsx'
import { brokersChanged, useOpenThings } from './data.ts'
import { isReal, openWords } from './words.ts'

interface Props {
  broker: BrokerConnection
  close: () => void
  /** Receives a sentence about the action. */
  done: (message: string) => void
}

export function Rename({ broker, close, done }: Props) {
  const form = useSend(async (data) => {
    const name = textOf(data, 'name').trim()
    await ask('PATCH /api/v1/brokers/{brokerId}', { path: { brokerId: broker.id }, body: { name } })
    await brokersChanged()
    done(`Renamed to ${name}, with its account`)
  })
  return (
    <FormSheet
      close={close}
      title={`Rename ${broker.name}`}
      verb="Rename it"
      form={form}
      isReal={isReal(broker)}
    >
      <Field
        label="Name"
        name="name"
        defaultValue={broker.name}
        autoComplete="off"
        maxLength={100}
        required
        hint="Its account is renamed too"
      />
    </FormSheet>
  )
}

export function NewKeys({ broker, type, close, done }: Props & { type: BrokerType }) {
  const form = useSend(async (data) => {
    await ask('PATCH /api/v1/brokers/{brokerId}', {
      path: { brokerId: broker.id },
      body: { credentials: keysOf(type, data) },
    })
    await brokersChanged()
    done(`The broker accepted the new keys of ${broker.name}`)
  })
  return (
    <FormSheet
      close={close}
      title={`New keys for ${broker.name}`}
      verb="Test and save"
      form={form}
      isReal={isReal(broker)}
    >
      <ActingFor />
      <p className="text-muted">
        They must belong to the same account{' '}
        <span className="wrap-anywhere">
          {broker.accounts.map((each) => each.brokerAccountId).join(', ')}
        </span>
        . They are tested first; the old keys stay until the broker accepts the new ones. Waiting exits are
        then retried automatically.
      </p>
      <KeyFields type={type} />
    </FormSheet>
  )
}

export function Remove({ broker, close, done }: Props) {
  const open = useOpenThings(broker)
  const form = useSend(async () => {
    const { body } = await ask('DELETE /api/v1/brokers/{brokerId}', { path: { brokerId: broker.id } })
    await brokersChanged()
    done(body.data.message)
  })
  const inUse = open.data ? openWords(open.data) : null
  // Positions at a broker that is unreachable for long do not count; only the service knows for how long.
  const isRefused = inUse !== null && broker.status !== 'error'
  return (
    <FormSheet
      close={close}
      title={`Remove ${broker.name}?`}
      verb={isReal(broker) ? 'Remove the real account' : 'Remove it'}
      kind="stop"
      form={form}
      isReal={isReal(broker)}
      isBlocked={isRefused}
      isQuestion
    >
      <ul className="grid list-disc gap-1 pl-5">
        <li>Its keys are erased for good.</li>
        <li>Its account is no longer synced and accepts no signals.</li>
        <li>Past signals, orders and trades stay in the lists.</li>
        <li>Connect it again with keys of the same account to continue its history.</li>
      </ul>
      {inUse !== null && (
        <Notice kind="warn" title={`Open in it: ${inUse}`}>
          It can be removed once they are closed and cancelled.
          {broker.status === 'error' &&
            ' If the broker has been unreachable for long, they do not count: they stay open there, and this service does not watch them.'}
        </Notice>
      )}
      {open.isError && <p className="text-sm text-warn">Its open positions and orders could not be read.</p>}
    </FormSheet>
  )
}

export const KeyFields = ({ type }: { type: BrokerType }) =>
  type.credentials.map(({ key, label, hint, isSecret }) => (
    <Field
      key={`${type.type} ${key}`}
      label={label}
      name={`credentials.${key}`}
      type={isSecret ? 'password' : 'text'}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={512}
      required
      hint={hint}
    />
  ))

/** The keys of the form, without spaces from copying. */
export const keysOf = (type: BrokerType, form: FormData): Record<string, string> =>
  Object.fromEntries(type.credentials.map(({ key }) => [key, textOf(form, `credentials.${key}`).trim()]))
