; Differences of Tensordeck's installer for Windows from electron-builder's own.

; For this account only: no question, no administrator. Firewall rules are made by the window's wizard alone.
!macro customInstallMode
  StrCpy $isForceCurrentInstall "1"
!macroend

; Ends what runs from the folder of the program. electron-builder's own writes that folder into code of PowerShell, which an
; apostrophe in the name of an account breaks: here it is in the environment. The exit codes are none that a PowerShell would
; end with which does not do what it is told; then the program's name must do.
!macro tensordeckFind
  StrCpy $R0 "$INSTDIR\"
  System::Call 'kernel32::SetEnvironmentVariable(t "TENSORDECK_FOLDER", t R0)'
  nsExec::Exec `"$PowerShellPath" -NoProfile -NonInteractive -Command "Set-StrictMode -Version 3.0; $$env:PSModulePath = $$PSHOME + '\Modules'; $$found = @(Get-CimInstance -ClassName Win32_Process | Where-Object -FilterScript { ([string]$$_.ExecutablePath).StartsWith($$env:TENSORDECK_FOLDER, [StringComparison]::OrdinalIgnoreCase) }); if ($$found.Count -gt 0) { exit 110 }; exit 111"`
  Pop $R0
  ${if} $R0 != 110
  ${andIf} $R0 != 111
    ${nsProcess::FindProcess} "${APP_EXECUTABLE_FILENAME}" $R0
    ${if} $R0 == 0
      StrCpy $R0 110
    ${endIf}
  ${endIf}
!macroend

!macro tensordeckStop
  nsExec::Exec `"$PowerShellPath" -NoProfile -NonInteractive -Command "Set-StrictMode -Version 3.0; $$env:PSModulePath = $$PSHOME + '\Modules'; Get-CimInstance -ClassName Win32_Process | Where-Object -FilterScript { ([string]$$_.ExecutablePath).StartsWith($$env:TENSORDECK_FOLDER, [StringComparison]::OrdinalIgnoreCase) } | ForEach-Object -Process { Stop-Process -Id $$_.ProcessId -Force }; exit 111"`
  Pop $R0
  ${if} $R0 != 111
    ${nsProcess::KillProcess} "${APP_EXECUTABLE_FILENAME}" $R0
  ${endIf}
!macroend

!macro customCheckAppRunning
  !insertmacro tensordeckFind
  ${if} $R0 == 110
  ${andIf} ${isUpdated}
    ; The program that has started the update is about to end by itself.
    Sleep 1300
    !insertmacro tensordeckFind
  ${endIf}
  ${if} $R0 == 110
    ${ifNot} ${isUpdated}
      MessageBox MB_OKCANCEL|MB_ICONEXCLAMATION "$(appRunning)" /SD IDOK IDOK +2
      Quit
    ${endIf}
    DetailPrint "$(appClosing)"
    StrCpy $R1 0
    ${do}
      !insertmacro tensordeckStop
      Sleep 500
      !insertmacro tensordeckFind
      ${if} $R0 != 110
        ${exitDo}
      ${endIf}
      IntOp $R1 $R1 + 1
      ${if} $R1 > 3
        MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "$(appCannotBeClosed)" /SD IDCANCEL IDRETRY +2
        Quit
      ${endIf}
    ${loop}
  ${endIf}
!macroend

; Documents: offered in "Open with" alone, by classes of names that nobody else has. Others use these extensions too, and none is
; taken from them. electron-builder.yml has the same documents for the other systems.
!macro tensordeckDocuments ACTION
  !insertmacro ${ACTION} pbtxt Tensordeck.GraphText "TensorFlow graph as text"
  !insertmacro ${ACTION} pb Tensordeck.Graph "TensorFlow graph"
  !insertmacro ${ACTION} meta Tensordeck.CheckpointGraph "TensorFlow graph of a checkpoint"
  !insertmacro ${ACTION} keras Tensordeck.KerasModel "Keras model"
  !insertmacro ${ACTION} h5 Tensordeck.KerasH5Model "Keras model"
  !insertmacro ${ACTION} onnx Tensordeck.OnnxModel "ONNX model"
!macroend

!macro tensordeckOffer EXT CLASS DESCRIPTION
  WriteRegNone SHELL_CONTEXT "Software\Classes\.${EXT}\OpenWithProgids" "${CLASS}"
  WriteRegStr SHELL_CONTEXT "Software\Classes\${CLASS}" "" "${DESCRIPTION}"
  WriteRegStr SHELL_CONTEXT "Software\Classes\${CLASS}\DefaultIcon" "" "$appExe,0"
  WriteRegStr SHELL_CONTEXT "Software\Classes\${CLASS}\shell\open\command" "" '"$appExe" "%1"'
!macroend

; Deletes a key without values and keys. The option /ifempty looks at keys alone before NSIS 3.6, and electron-builder
; has 3.4: it would delete what others have written. The first value has no name where it is the key's default.
!macro tensordeckDeleteEmpty KEY
  EnumRegKey $R0 SHELL_CONTEXT "${KEY}" 0
  ${if} $R0 == ""
    ClearErrors
    EnumRegValue $R0 SHELL_CONTEXT "${KEY}" 0
    ${if} ${errors}
      DeleteRegKey /ifempty SHELL_CONTEXT "${KEY}"
    ${endIf}
  ${endIf}
!macroend

!macro tensordeckWithdraw EXT CLASS DESCRIPTION
  DeleteRegKey SHELL_CONTEXT "Software\Classes\${CLASS}"
  DeleteRegValue SHELL_CONTEXT "Software\Classes\.${EXT}\OpenWithProgids" "${CLASS}"
  !insertmacro tensordeckDeleteEmpty "Software\Classes\.${EXT}\OpenWithProgids"
  !insertmacro tensordeckDeleteEmpty "Software\Classes\.${EXT}"
!macroend

; SHCNE_ASSOCCHANGED: the Explorer reads them anew.
!macro tensordeckTellExplorer
  System::Call "shell32::SHChangeNotify(i, i, i, i) v (0x08000000, 0, 0, 0)"
!macroend

!macro registerFileAssociations
  !insertmacro tensordeckDocuments tensordeckOffer
  !insertmacro tensordeckTellExplorer
!macroend

!macro unregisterFileAssociations
  !insertmacro tensordeckDocuments tensordeckWithdraw
  ; Links of tensordeck: are registered by the program when it runs; they may be another copy's by now.
  ReadRegStr $R0 HKCU "Software\Classes\tensordeck\shell\open\command" ""
  StrLen $R1 "$INSTDIR\"
  StrCpy $R0 $R0 $R1 1
  ${if} $R0 == "$INSTDIR\"
    DeleteRegKey HKCU "Software\Classes\tensordeck"
  ${endIf}
  !insertmacro tensordeckTellExplorer
!macroend

; Offers to take away what Tensordeck has left outside of its folder. Not for updates; without a window nothing is asked
; and nothing of it is removed. The copy of the installer, which electron-builder keeps for later updates, goes without a question.
!macro customUnInstall
  ${ifNot} ${isUpdated}
    RMDir /r "$LOCALAPPDATA\${APP_PACKAGE_NAME}-updater"
  ${endIf}
  ${ifNot} ${isUpdated}
  ${andIfNot} ${Silent}
    ; Modules of the account must not run with an administrator's rights, hence the module path.
    ; The firewall rules of the wizard and the agent's scheduled task are the machine's: Windows asks for an administrator.
    MessageBox MB_YESNO|MB_ICONQUESTION|MB_DEFBUTTON2 \
      "Also remove Tensordeck's firewall rules and its background task, if there are any?$\r$\n$\r$\nWindows then asks for an administrator's permission." \
      /SD IDNO IDNO tensordeckKeepRules
    ExecShellWait "runas" "$SYSDIR\WindowsPowerShell\v1.0\powershell.exe" \
      "-NoProfile -NonInteractive -WindowStyle Hidden -Command $\"Set-StrictMode -Version 3.0; $$env:PSModulePath = $$PSHOME + '\Modules'; Remove-NetFirewallRule -Group Tensordeck -ErrorAction SilentlyContinue; Stop-ScheduledTask -TaskName Tensordeck -ErrorAction SilentlyContinue; Unregister-ScheduledTask -TaskName Tensordeck -Confirm:$$false -ErrorAction SilentlyContinue$\"" \
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
