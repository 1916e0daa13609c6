import { useAppInfo } from '../records/person.ts'

/** Says where to look where no mail is sent. */
export function WhereLettersAre() {
  const { data: app } = useAppInfo()
  return app?.mailbox === true ? (
    <p className="text-sm">
      This service sends no mail: its mailbox, which npm start names, shows the message.
    </p>
  ) : null
}
