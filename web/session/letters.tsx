import { Link } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { ask, dataOf } from '../connection/ask.ts'
import { Field } from '../parts/field.tsx'
import { textOf, useSend, Form } from '../parts/form.tsx'
import { Notice } from '../parts/notice.tsx'
import { useAppInfo } from '../records/person.ts'
import { Frame, WhereLettersAre } from './frame.tsx'

interface Props {
  title: string
  /** Outcome, which replaces the form. */
  message: string | null
  /** Whether the message is about a letter. */
  isByLetter?: boolean
  children: ReactNode
}

const LetterPage = ({ title, message, isByLetter = false, children }: Props) => (
  <Frame title={title}>
    {message === null ? (
      children
    ) : (
      <Notice kind="info" title={message}>
        {isByLetter && <WhereLettersAre />}
      </Notice>
    )}
    <Link to="/sign-in" className="py-2 underline">
      Go to sign-in
    </Link>
  </Frame>
)

const PasswordOfLetter = ({
  form,
  ...rest
}: {
  form: ReturnType<typeof useSend>
  label: string
  autoComplete: string
}) => (
  <Field
    {...rest}
    name="password"
    type="password"
    required
    fault={form.faultOf('password') ?? form.faultOf('token')}
  />
)

/** Token of a letter; it follows the #, which browsers send to no server. */
const tokenInAddress = (): string => new URLSearchParams(location.hash.slice(1)).get('token') ?? ''

/** Removes a used token from the address, and so from the browser's history. */
const dropToken = (): void => history.replaceState(history.state, '', location.pathname)

/** Requests an account; the first person of an installation enters the secret that its terminal shows. */
export function RegisterPage() {
  const [message, setMessage] = useState<string | null>(null)
  const { data: app } = useAppInfo()
  const form = useSend(async (data) => {
    const setupSecret = textOf(data, 'setupSecret')
    const { status, body } = await ask('POST /api/v1/auth/register', {
      body: {
        email: textOf(data, 'email'),
        password: textOf(data, 'password'),
        ...(setupSecret !== '' && { setupSecret }),
      },
    })
    setMessage(status === 201 ? 'You are registered. Sign in now.' : body.data.message)
  })
  const closed =
    app?.registration === 'closed' ? 'Registration is closed. Ask the administrator for an account.' : null
  return (
    <LetterPage title="Register" message={message ?? closed} isByLetter={message !== null}>
      <Form {...form} action="Register">
        <Field label="Email" name="email" type="email" autoComplete="username" required />
        <Field label="Password" name="password" type="password" autoComplete="new-password" required />
        {app?.registration === 'firstUser' && (
          <Field
            label="Set-up secret"
            name="setupSecret"
            autoComplete="off"
            hint="You are the first user of this service: its log shows the secret."
            required
          />
        )}
      </Form>
    </LetterPage>
  )
}

/** Target of a registration's letter: the password proves that it is the same person. */
export function ConfirmPage() {
  const [message, setMessage] = useState<string | null>(null)
  const form = useSend(async (data) => {
    await ask('POST /api/v1/auth/register/confirm', {
      body: { token: tokenInAddress(), password: textOf(data, 'password') },
    })
    dropToken()
    setMessage('You are registered. Sign in now.')
  })
  return (
    <LetterPage title="Confirm your registration" message={message}>
      <Form {...form} action="Confirm">
        <PasswordOfLetter label="The password that you chose" autoComplete="current-password" form={form} />
      </Form>
    </LetterPage>
  )
}

export function ForgotPasswordPage() {
  const [message, setMessage] = useState<string | null>(null)
  const form = useSend(async (data) => {
    const body = { email: textOf(data, 'email') }
    setMessage((await dataOf('POST /api/v1/auth/forgot-password', { body })).message)
  })
  return (
    <LetterPage title="Forgotten password" message={message} isByLetter>
      <Form {...form} action="Send a link">
        <Field label="Email" name="email" type="email" autoComplete="username" required />
      </Form>
    </LetterPage>
  )
}

/** Target of a password reset's letter. */
export function ResetPasswordPage() {
  const [message, setMessage] = useState<string | null>(null)
  const form = useSend(async (data) => {
    const body = { token: tokenInAddress(), password: textOf(data, 'password') }
    const { message: done } = await dataOf('POST /api/v1/auth/reset-password', { body })
    dropToken()
    setMessage(done)
  })
  return (
    <LetterPage title="Choose a new password" message={message}>
      <Form {...form} action="Keep this password">
        <PasswordOfLetter label="New password" autoComplete="new-password" form={form} />
      </Form>
    </LetterPage>
  )
}
