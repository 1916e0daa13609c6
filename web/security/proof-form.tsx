import { Button } from '../parts/button.tsx'
import { Sheet } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { ProblemNotice } from '../parts/notice.tsx'
import { textOf, useSend } from '../parts/form.ts'
import { CodeField } from './code-field.tsx'

interface Props {
  isOpen: boolean
  close: () => void
  title: string
  effect: string
  action: string
  kind?: 'primary' | 'stop'
  send: (proof: { password: string; code: string }) => Promise<void>
}

/** Asks for the password and a code together, which neither alone may do. */
export const ProofForm = (props: Props) => (
  <Sheet isOpen={props.isOpen} close={props.close} title={props.title}>
    {props.isOpen && <Fields {...props} />}
  </Sheet>
)

function Fields({ close, effect, action, kind = 'primary', send }: Props) {
  const form = useSend(
    (data) => send({ password: textOf(data, 'password'), code: textOf(data, 'code').trim() }),
    { WRONG_PASSWORD: 'password', WRONG_CODE: 'code' },
  )
  return (
    <form onSubmit={form.submit} noValidate className="grid gap-4">
      <p className="text-muted">{effect}</p>
      <Field
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        required
        fault={form.faultOf('password')}
      />
      <CodeField fault={form.faultOf('code')} />
      {form.problem && form.problem.faults.length === 0 && <ProblemNotice problem={form.problem} />}
      <div className="grid grid-cols-2 gap-2">
        <Button size="big" onClick={close}>
          Go back
        </Button>
        <Button size="big" kind={kind} type="submit" disabled={form.isBusy} className="whitespace-normal">
          {action}
        </Button>
      </div>
    </form>
  )
}
