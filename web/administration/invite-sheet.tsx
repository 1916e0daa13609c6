import { useState } from 'react'
import { ask } from '../connection/ask.ts'
import { Button } from '../parts/button.tsx'
import { Sheet } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { Notice, ProblemNotice } from '../parts/notice.tsx'
import { SelectField } from '../parts/select-field.tsx'
import { textOf, useSend } from '../parts/form.ts'
import { WhereLettersAre } from '../session/where-letters-are.tsx'
import type { AdministeredUser } from './data.ts'
import { PLANS, ROLES } from './words.ts'

interface Props {
  isOpen: boolean
  close: () => void
  invited: () => void
}

/** Makes a user, who is sent a link with which they choose a password. */
export const InviteSheet = (props: Props) => (
  <Sheet isOpen={props.isOpen} close={props.close} title="Invite a user">
    {props.isOpen && <Invitation {...props} />}
  </Sheet>
)

/** The plan of users who register, as the operator has set it. */
const USUAL = ''

function Invitation({ close, invited }: Props) {
  const [sentTo, setSentTo] = useState<string | null>(null)
  const form = useSend(
    async (data) => {
      const plan = textOf(data, 'plan')
      const { body } = await ask('POST /api/v1/admin/users', {
        body: {
          email: textOf(data, 'email').trim(),
          role: textOf(data, 'role') as AdministeredUser['role'],
          ...(plan !== USUAL && { plan: plan as AdministeredUser['plan'] }),
        },
      })
      setSentTo(body.data.user.email)
      invited()
    },
    { EMAIL_TAKEN: 'email' },
  )
  if (sentTo !== null)
    return (
      <>
        <div role="status">
          <Notice kind="info" title={`A link is on its way to ${sentTo}`}>
            <p className="text-sm">They choose a password with it, within a day.</p>
            <WhereLettersAre />
          </Notice>
        </div>
        <Button size="big" onClick={close}>
          Close
        </Button>
      </>
    )
  return (
    <form onSubmit={form.submit} noValidate className="grid gap-4">
      <Field
        label="Email"
        name="email"
        type="email"
        autoComplete="off"
        required
        fault={form.faultOf('email')}
      />
      <SelectField
        label="Role"
        name="role"
        options={ROLES}
        hint="Administrators see every user and can stop the whole service. They need two-step sign-in."
        fault={form.faultOf('role')}
      />
      <SelectField
        label="Plan"
        name="plan"
        options={{ [USUAL]: 'as for those who register', ...PLANS }}
        fault={form.faultOf('plan')}
      />
      {form.problem && form.problem.faults.length === 0 && <ProblemNotice problem={form.problem} />}
      <div className="grid grid-cols-2 gap-2">
        <Button size="big" onClick={close}>
          Go back
        </Button>
        <Button size="big" kind="primary" type="submit" disabled={form.isBusy}>
          Invite
        </Button>
      </div>
    </form>
  )
}
