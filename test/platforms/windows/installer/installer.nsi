; An installer that does what electron-builder's does around build/installer/installer.nsh, whose macros are the real ones. It has
; no plug-ins of others: nsProcess is stand-in-nsprocess.c.
Unicode true
RequestExecutionLevel user
SilentInstall silent
SilentUnInstall silent
Name "Tensordeck"
OutFile "${OUTPUT}"
InstallDir "${FOLDER}"
!addplugindir /x86-unicode "${PLUGINS}"
!include LogicLib.nsh
!include "${TEMPLATES}/nsProcess.nsh"
!define APP_EXECUTABLE_FILENAME "Tensordeck.exe"
!macro _isUpdated a b t f
  !insertmacro _== "1" "2" `${t}` `${f}`
!macroend
!define isUpdated `"" isUpdated ""`
Var appExe
Var PowerShellPath
Var isForceCurrentInstall
LoadLanguageFile "${NSISDIR}/Contrib/Language files/English.nlf"
LangString appRunning 1033 "Running"
LangString appClosing 1033 "Closing"
LangString appCannotBeClosed 1033 "Cannot be closed"
!include "${INSTALLER}"

Section
  !insertmacro customInstallMode
  StrCpy $PowerShellPath "$SYSDIR\WindowsPowerShell\v1.0\powershell.exe"
  !insertmacro customCheckAppRunning
  SetOutPath $INSTDIR
  File "/oname=Tensordeck.exe" "${PROGRAM}"
  WriteUninstaller "$INSTDIR\Uninstall.exe"
  StrCpy $appExe "$INSTDIR\${APP_EXECUTABLE_FILENAME}"
  !insertmacro registerFileAssociations
SectionEnd

Section "Uninstall"
  StrCpy $PowerShellPath "$SYSDIR\WindowsPowerShell\v1.0\powershell.exe"
  !insertmacro customCheckAppRunning
  !insertmacro customUnInstall
  SetOutPath $TEMP
  RMDir /r $INSTDIR
  !insertmacro unregisterFileAssociations
SectionEnd
