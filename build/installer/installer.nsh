; What electron-builder's installer for Windows does differently for Tensordeck.

; For this account only: no question, no administrator. Firewall rules are made by the window's wizard alone.
!macro customInstallMode
  StrCpy $isForceCurrentInstall "1"
!macroend

; Offers to take away what Tensordeck has left outside of its folder. Not for updates; without a window nothing is asked
; and nothing of it is removed.
!macro customUnInstall
  ${ifNot} ${isUpdated}
  ${andIfNot} ${Silent}
    ; Modules of the account must not run with an administrator's rights, hence the module path.
    ; The firewall rules of the wizard and the agent's scheduled task are the machine's: Windows asks for an administrator.
    MessageBox MB_YESNO|MB_ICONQUESTION|MB_DEFBUTTON2 \
      "Also remove Tensordeck's firewall rules and its background task, if there are any?$\r$\n$\r$\nWindows then asks for an administrator's permission." \
      /SD IDNO IDNO tensordeckKeepRules
    ExecShellWait "runas" "$SYSDIR\WindowsPowerShell\v1.0\powershell.exe" \
      "-NoProfile -NonInteractive -WindowStyle Hidden -Command $\"$$env:PSModulePath = $$PSHOME + '\Modules'; Remove-NetFirewallRule -Group Tensordeck -ErrorAction SilentlyContinue; Stop-ScheduledTask -TaskName Tensordeck -ErrorAction SilentlyContinue; Unregister-ScheduledTask -TaskName Tensordeck -Confirm:$$false -ErrorAction SilentlyContinue$\"" \
      SW_HIDE
    tensordeckKeepRules:

    MessageBox MB_YESNO|MB_ICONQUESTION|MB_DEFBUTTON2 \
      "Also delete Tensordeck's data of this account: its identity and pairings, settings, drafts, run history, and installed TensorFlow libraries?$\r$\n$\r$\nYour graph files stay where they are. This cannot be undone." \
      /SD IDNO IDNO tensordeckKeepData
    RMDir /r "$LOCALAPPDATA\Tensordeck"
    RMDir /r "$APPDATA\Tensordeck"
    tensordeckKeepData:
  ${endIf}
!macroend
