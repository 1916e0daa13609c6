import { Field } from '../parts/field.tsx'
import { FormSheet, textOf, useSend } from '../parts/form.tsx'

/** Field for a code of the second step, which may be a backup code. */
export const CodeField = () => (
  <Field
    label="Code from your authenticator"
    name="code"
    autoComplete="one-time-code"
    hint="Six digits that you have not used yet, or a backup code"
    required
  />
)

interface Props {
  close: () => void
  title: string
  effect: string
  action: string
  kind?: 'primary' | 'stop'
  send: (proof: { password: string; code: string }) => Promise<void>
}

/** Asks for password and code together, as neither suffices alone. */
export function ProofForm({ close, title, effect, action, kind = 'primary', send }: Props) {
  const form = useSend(
    (data) => send({ password: textOf(data, 'password'), code: textOf(data, 'code').trim() }),
    { WRONG_PASSWORD: 'password', WRONG_CODE: 'code' },
  )
  return (
    <FormSheet close={close} title={title} verb={action} kind={kind} form={form} needsNoNews>
      <p className="text-muted">{effect}</p>
      <Field label="Password" name="password" type="password" autoComplete="current-password" required />
      <CodeField />
    </FormSheet>
  )
}
