import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { ask } from '../connection/ask.ts'
import { Field } from '../parts/field.tsx'
import { textOf, useSend, Form } from '../parts/form.tsx'
import { Notice } from '../parts/notice.tsx'
import { useAppInfo } from '../records/person.ts'
import { Frame, WhereLettersAre } from './frame.tsx'

const BackToSignIn = () => (
  <Link to="/sign-in" className="py-2 underline">
    Go to sign-in
  </Link>
)

/** Letters name it behind the #, which browsers send to no server. */
const tokenInAddress = (): string => new URLSearchParams(location.hash.slice(1)).get('token') ?? ''

/** Asks for an account; the first person of an installation brings the secret that its terminal shows. */
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
  if (message !== null)
    return (
      <Frame title="Register">
        <Notice kind="info" title={message}>
          <WhereLettersAre />
        </Notice>
        <BackToSignIn />
      </Frame>
    )
  if (app?.registration === 'closed')
    return (
      <Frame title="Register">
        <Notice kind="info" title="Registration is closed. Ask the administrator for an account." />
        <BackToSignIn />
      </Frame>
    )
  return (
    <Frame title="Register">
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
      <BackToSignIn />
    </Frame>
  )
}

/** Where the letter of a registration leads: the password again proves that it is the same person. */
export function ConfirmPage() {
  const [isDone, setDone] = useState(false)
  const form = useSend(async (data) => {
    await ask('POST /api/v1/auth/register/confirm', {
      body: { token: tokenInAddress(), password: textOf(data, 'password') },
    })
    setDone(true)
  })
  return (
    <Frame title="Confirm your registration">
      {isDone ? (
        <Notice kind="info" title="You are registered. Sign in now." />
      ) : (
        <Form {...form} action="Confirm">
          <Field
            label="The password that you chose"
            name="password"
            type="password"
            autoComplete="current-password"
            required
            fault={form.faultOf('password') ?? form.faultOf('token')}
          />
        </Form>
      )}
      <BackToSignIn />
    </Frame>
  )
}

export function ForgotPasswordPage() {
  const [message, setMessage] = useState<string | null>(null)
  const form = useSend(async (data) => {
    const { body } = await ask('POST /api/v1/auth/forgot-password', {
      body: { email: textOf(data, 'email') },
    })
    setMessage(body.data.message)
  })
  return (
    <Frame title="Forgotten password">
      {message === null ? (
        <Form {...form} action="Send a link">
          <Field label="Email" name="email" type="email" autoComplete="username" required />
        </Form>
      ) : (
        <Notice kind="info" title={message}>
          <WhereLettersAre />
        </Notice>
      )}
      <BackToSignIn />
    </Frame>
  )
}

/** Where the letter of a forgotten password leads. */
export function ResetPasswordPage() {
  const [message, setMessage] = useState<string | null>(null)
  const form = useSend(async (data) => {
    const { body } = await ask('POST /api/v1/auth/reset-password', {
      body: { token: tokenInAddress(), password: textOf(data, 'password') },
    })
    setMessage(body.data.message)
  })
  return (
    <Frame title="Choose a new password">
      {message === null ? (
        <Form {...form} action="Keep this password">
          <Field
            label="New password"
            name="password"
            type="password"
            autoComplete="new-password"
            required
            fault={form.faultOf('password') ?? form.faultOf('token')}
          />
        </Form>
      ) : (
        <Notice kind="info" title={message} />
      )}
      <BackToSignIn />
    </Frame>
  )
}
