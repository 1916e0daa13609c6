interface Props {
  label: string
  children: string
}

/** Text for programs, which the keyboard can scroll. */
export const CodeBlock = ({ label, children }: Props) => (
  <pre
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    tabIndex={0}
    role="region"
    aria-label={label}
    className="max-h-80 overflow-auto bg-sunken p-4 font-mono text-xs whitespace-pre-wrap wrap-anywhere"
  >
    {children}
  </pre>
)
